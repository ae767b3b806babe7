package dev.assay.frontend;

import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.script.StoredScript;
import dev.assay.frontend.script.StoredScripts;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Stored scripts, as a test says. */
public final class FakeScripts implements StoredScripts {
  private final List<StoredScript> scripts = new CopyOnWriteArrayList<>();
  public volatile @Nullable RuntimeException refusal;

  public FakeScripts with(String configMap, String name, Language language, String code) {
    scripts.add(new StoredScript(name, language, configMap, code));
    return this;
  }

  @Override
  public List<StoredScript> list(String namespace, String wanted) {
    RuntimeException no = refusal;
    if (no != null) {
      throw no;
    }
    return scripts.stream()
        .map(
            one ->
                new StoredScript(
                    one.name(),
                    one.language(),
                    one.configMap(),
                    one.name().equals(wanted) ? one.code() : null))
        .toList();
  }
}
