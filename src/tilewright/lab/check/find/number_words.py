"""Numbers of which comments say that sizes are multiples, in words, in the cases in which those take them."""

_LISTS = """
2 two zwei deux dos due dois doi twee två dwóch dwa dvěma dvou dva kahden kettővel ikinin двум два двох dua
4 four vier quatre cuatro quattro quatro patru fire fyra cztery czterech čtyřmi čtyř četiri neljän néggyel négy dördün
4 четырём четырем четырёх чотирьох empat bốn
8 eight acht huit ocho otto oito opt otte åtta osiem ośmiu osmi osam kahdeksan nyolccal sekizin восьми delapan tám
16 sixteen sechzehn seize dieciséis sedici dezesseis zestien seksten sexton kuudentoista tizenhattal
"""
NUMBER_WORDS = {word: int(line.split()[0]) for line in _LISTS.split("\n") for word in line.split()[1:]}
