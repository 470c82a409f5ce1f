"""The benchmark's arithmetic, without a GPU: medians, ratios, shapes, groups, tables."""

from __future__ import annotations

import json

import pytest

from benchmarks import record
from benchmarks.measure import join_products
from benchmarks.measure.bench_gpu import geometric_mean, group_means, verdict
from benchmarks.shapes import shape_groups, single_shape_limits
from benchmarks.tables import product_tables
from tilewright.lab.bench.products import EPILOGUES, MeasuredProduct
from tilewright.lab.bench.timing import Comparison, Times


def test_the_groups_are_the_issues():
    """Eleven groups with what each has to reach; the padded one has the shapes of the odd ones. Epilogues have none."""
    groups = {group.name: group for group in shape_groups()}

    plain = [group for group in groups.values() if not group.products[0].epilogue]
    assert [(group.required, group.aimed_at) for group in plain] == [
        (0.97, 1.05),
        (1.0, 1.15),
        (4.0, 4.8),
        (2.2, 3.0),
        (1.2, 1.6),
        (5.0, 5.5),
        (4.0, 4.5),
        (1.05, 1.3),
        (1.0, 1.3),
        (3.0, 4.5),
        (1.2, 1.8),
    ]
    assert groups["odd-large"].products == groups["odd-large-padded"].products
    assert {product.layout for product in groups["odd-views-large"].products} == {"views"}
    assert all(product.is_odd for product in groups["odd-large-padded"].products)
    assert not any(product.is_odd for product in groups["aligned-large"].products)
    assert str(groups["batched-odd-127"].products[0]) == "1024 x (127x63x127)"
    assert single_shape_limits() == (0.9, 1.0)
    epilogues = {
        product.epilogue: group for group in groups.values() for product in group.products if group not in plain
    }
    assert list(epilogues) == list(EPILOGUES)
    assert {(group.required, group.aimed_at) for group in epilogues.values()} == {(None, None)}
    assert str(groups["epilogue-c"].products[0]) == "512x512x512 with c"


def test_a_ratio_is_of_medians():
    """Twice as long is 2, and outliers do not count."""
    product = MeasuredProduct(1000, 1000, 1000, "bfloat16")
    found = Comparison(product, {"tilewright": Times((10, 9, 11, 500), 0), "torch": Times((21, 21, 21), 1)})

    assert found.ratio("torch") == pytest.approx(2)
    assert found.tflops("tilewright") == pytest.approx(2e9 / 10.5e-6 / 1e12)
    assert found.gb_per_s("tilewright") == pytest.approx(6e6 / 10.5e-6 / 1e9)
    assert Times((3.0,), 0).quartiles_us == (3.0, 3.0)


def test_geometric_means_cancel():
    """Twice as fast and half as fast are as fast."""
    assert geometric_mean([2, 0.5]) == pytest.approx(1)


def test_tables_come_of_raw_rounds(tmp_path, monkeypatch):
    """A result of one shape in both types, as the benchmark writes it."""
    group = next(group for group in shape_groups() if group.name == "odd-views-2047")
    found = {
        product: Comparison(product, {"tilewright": Times((50.0, 52, 54), 0), "torch": Times((208.0, 208, 210), 0)})
        for product in group.products
    }
    means = group_means([group], found)
    path = tmp_path / "products.json"
    rows = [comparison.record() for comparison in found.values()]
    record.write(path, "how", rows, groups=means, torch="2", not_measured="Nothing else.")
    monkeypatch.setattr(product_tables, "RESULT", path)

    assert means[0]["mean"] == pytest.approx(4)
    assert json.loads(path.read_text())["rows"][0]["us"]["torch"] == [208.0, 208, 210]
    assert "| the same, 2047 | torch.matmul | **4.00** | 4.00 | 4.00 | 4.00 | 4 | 4.5 |" in product_tables.groups()
    line = "| 2,047 x 2,047 x 2,047 | bf16 | views | 4.00 |  | 330 | 52.0 (50.0 to 54.0) | 208.0 (208.0 to 210.0) |  |"
    assert line in product_tables.shapes().replace(product_tables.NO_BREAK, " ")


def test_epilogues_have_a_table_of_their_own(tmp_path, monkeypatch):
    """With the rival of each; the plain products' tables leave them out, and no requirement is written."""
    groups = [group for group in shape_groups() if group.products[0].epilogue in {"c", "bias and gelu"}]
    times = {"tilewright": Times((50.0, 52, 54), 0), "torch": Times((104.0, 104, 105), 0)}
    found = {product: Comparison(product, times) for group in groups for product in group.products}
    path = tmp_path / "products.json"
    rows = [comparison.record() for comparison in found.values()]
    means = group_means(groups, found)
    record.write(path, "how", rows, groups=means, torch="2", not_measured="Nothing else.")
    monkeypatch.setattr(product_tables, "RESULT", path)

    assert "| aligned, A B + c | torch.addmm, baddbmm | **2.00** | 2.00 | 2.00 | 2.00 | none | none |" in (
        product_tables.groups()
    )
    line = "| 2,048 x 2,048 x 2,048 | 52.0 us, **2.00** |  |  |  | 52.0 us, **2.00** |"
    assert line in product_tables.epilogues().replace(product_tables.NO_BREAK, " ")
    assert "bias and gelu: torch.addmm, then gelu" in product_tables.epilogues()
    assert "2,048" not in product_tables.shapes()
    assert "2,048" not in product_tables.aligned()
    assert [join_products.product_of(row) for row in rows] == list(found)
    assert verdict(means[0]) == "no requirement"


def test_what_was_measured_again_takes_the_place_of_the_earlier():
    """Each row says of which run it is, and means are of the newest; other devices and versions are refused."""
    product = next(group for group in shape_groups() if group.name == "odd-views-2047").products[0]

    def run(torch_us, **more):
        comparison = Comparison(product, {"tilewright": Times((50.0,), 0), "torch": Times((torch_us,), 0)})
        head = dict.fromkeys(join_products.SAME, "the same") | {"date": "today", "rows": [comparison.record()]}
        return head | more

    joined = join_products.join([("aaa", run(100.0)), ("bbb", run(200.0))])

    assert [(row["run"], row["us"]["torch"]) for row in joined["rows"]] == [(1, [200.0])]
    assert joined["groups"][0]["mean"] == pytest.approx(4)
    assert [each["code"] for each in joined["runs"]] == ["aaa", "bbb"]
    with pytest.raises(ValueError, match="differ in torch"):
        join_products.join([("aaa", run(100.0)), ("bbb", run(200.0, torch="3"))])
