package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Datasets as an agent loads, inspects and uses them. */
@Everywhere
class DatasetsE2E {
  @Test
  void aTableIsReadAsItsOptionsSay(Assay assay) {
    load(
        assay,
        "french",
        "ville;prix;code\nNîmes;1,5;007\nLyon;-;010\n",
        Map.of(
            "options",
            Map.of(
                "sep",
                ";",
                "decimal",
                ",",
                "na_values",
                List.of("-"),
                "dtype",
                Map.of("code", "str"))));

    assertThat(
            assay
                .run("french", "print(df['prix'].sum(), df['prix'].isna().sum(), df['code'][0])")
                .text())
        .isEqualTo("1.5 1 007\n");
  }

  @Test
  void aTableWithoutAHeaderIsReadAsSuch(Assay assay) {
    var options = new TreeMap<String, Object>();
    options.put("header", null);
    options.put("names", List.of("z", "a"));
    load(assay, "bare", "1\t2\n3\t4\n", Map.of("format", "tsv", "options", options));

    assertThat(assay.run("bare", "print(len(df), list(df))").text()).isEqualTo("2 ['z', 'a']\n");
  }

  @Test
  void aWrongOptionIsRefusedWithThoseThereAre(Assay assay) {
    Reply reply =
        assay.call(
            "load_dataset",
            Map.of(
                "dataset_name",
                "misread",
                "text",
                "a;b\n1;2\n",
                "options",
                Map.of("seperator", ";"),
                "replace",
                true));

    assertThat(reply.isError()).isTrue();
    assertThat(reply.text())
        .startsWith("EXECUTION ERROR: DatasetFailed: Dataset 'misread' could not be loaded: ")
        .contains("OptionRefusedError", "seperator", "sep,");
  }

  @Test
  void severalDatasetsAreUsedByTheirNames(Assay assay) {
    load(assay, "store_orders", "id,store\n1,7\n2,8\n", Map.of());
    load(assay, "Store Names", "store,name\n7,North\n8,South\n", Map.of());

    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of(
                "dataset_name", "store_orders",
                "datasets", List.of("Store Names"),
                "python_code",
                    """
                    print(list(df.merge(store_names, on="store")["name"]))
                    print(datasets["Store Names"] is store_names, datasets["store_orders"] is df)
                    """));

    assertThat(reply.text()).isEqualTo("['North', 'South']\nTrue True\n");
  }

  @Test
  void aReplacementThatFailsLeavesWhatWasThere(Assay assay) {
    load(assay, "kept", "a\n1\n", Map.of());
    Reply refused =
        assay.call(
            "load_dataset",
            Map.of(
                "dataset_name",
                "kept",
                "text",
                "a\nsecret\n",
                "options",
                Map.of("dtype", Map.of("a", "int64")),
                "replace",
                true));

    assertThat(refused.isError()).isTrue();
    assertThat(refused.text())
        .contains(
            "could not be loaded", "'a'", "Its earlier data (1 rows x 1 columns) stays in use.")
        .doesNotContain("secret");
    assertThat(assay.run("kept", "print(df['a'].sum())").text())
        .isEqualTo(
            "1\nDataset 'kept' could not be replaced. Its earlier data (1 rows x 1 columns) stays in"
                + " use.");
    assertThat(assay.call("list_datasets", Map.of()).text())
        .containsPattern("kept: Failed: .*; until it is replaced it has 1 rows x 1 columns");
  }

  @Test
  void aDatasetIsDescribedWithSomeOfItsValues(Assay assay) {
    load(assay, "fruit", "name,kilos\napple,1.5\npear,\napple,2.0\n", Map.of());

    assertThat(assay.call("describe_dataset", Map.of("dataset_name", "fruit")).text())
        .startsWith("fruit (csv): 3 rows x 2 columns")
        .contains("such as \"apple\", \"pear\"")
        .containsPattern("- kilos: float64 \\(1 missing\\), such as \"1.5\", \"2.0\"");
  }

  @Test
  void whatCodeFindsIsDescribed(Assay assay) {
    load(assay, "store_orders", "id,store\n1,7\n2,8\n", Map.of());
    String versions =
        assay
            .run(
                "store_orders",
                "import sys, polars\nprint(sys.version.split()[0], polars.__version__)")
            .text()
            .strip();

    String described = assay.call("describe_runtime", Map.of()).text();

    assertThat(described)
        .startsWith("Python " + versions.split(" ", -1)[0] + "\n")
        .contains("polars " + versions.split(" ", -1)[1])
        .contains("Limits of class 'python': ");
  }

  private static void load(Assay assay, String name, String text, Map<String, Object> more) {
    var arguments = new TreeMap<String, Object>(more);
    arguments.put("dataset_name", name);
    arguments.put("text", text);
    arguments.put("replace", true);
    Reply reply = assay.call("load_dataset", arguments);
    assertThat(reply.isError()).as(reply.text()).isFalse();
  }
}
