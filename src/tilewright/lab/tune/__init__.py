"""The planner's choices timed beside one another on a card; what was faster is kept, and the models are corrected."""
