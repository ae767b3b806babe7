package dev.assay.frontend.script;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.run.NearNames;
import dev.assay.frontend.run.Text;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The source of one run (pure).
 *
 * @param script the name that it is stored under; null where the call brought it
 */
record ScriptSource(String code, Language language, @Nullable String script) {
  private static final int MAX_SHOWN = 50;
  private static final int MAX_NAME = 80;

  /**
   * What a call asks for.
   *
   * @param stored the scripts of the caller's namespace, asked for where the call names one
   * @throws ScriptException where there is no such script, or it is of another language
   * @throws BadArgumentException where it cannot be told which one is meant
   */
  static ScriptSource of(ScriptCall call, Supplier<List<StoredScript>> stored) {
    if (call.script() != null) {
      return find(call.script(), call.language(), stored.get());
    }
    return new ScriptSource(
        Objects.requireNonNull(call.code()),
        call.language() == null ? Language.JAVASCRIPT : call.language(),
        null);
  }

  private static ScriptSource find(
      String name, @Nullable Language language, List<StoredScript> stored) {
    List<StoredScript> found = stored.stream().filter(one -> one.name().equals(name)).toList();
    if (found.isEmpty()) {
      throw new ScriptException(
          ScriptErrorCode.SCRIPT_NOT_FOUND,
          "there is no stored script '"
              + Text.oneLine(name, MAX_NAME)
              + "'"
              + others(name, stored));
    }
    if (found.size() > 1) {
      throw BadArgumentException.value(
          "'script' is ambiguous: '%s' is stored %d times, in %s"
              .formatted(
                  name,
                  found.size(),
                  found.stream()
                      .map(one -> one.configMap() + "/" + name + extension(one.language()))
                      .sorted()
                      .collect(Collectors.joining(", "))));
    }
    StoredScript one = found.getFirst();
    if (language != null && language != one.language()) {
      throw new ScriptException(
          ScriptErrorCode.INVALID_LANGUAGE,
          "'language' is %s, and the script '%s' is %s: leave it out"
              .formatted(language.wireName(), name, one.language().wireName()));
    }
    String code = Objects.requireNonNull(one.code(), "its code was asked for");
    int bytes = Text.bytes(code);
    if (bytes > Bounds.MAX_CODE_BYTES) {
      throw BadArgumentException.value(
          "the script '%s' has %d bytes of UTF-8; at most %d are allowed"
              .formatted(name, bytes, Bounds.MAX_CODE_BYTES));
    }
    return new ScriptSource(code, one.language(), name);
  }

  private static String extension(Language language) {
    return language == Language.TYPESCRIPT ? ".ts" : ".js";
  }

  private static String others(String wrong, List<StoredScript> stored) {
    List<String> names = stored.stream().map(StoredScript::name).distinct().sorted().toList();
    if (names.isEmpty()) {
      return ": none is stored in your namespace";
    }
    return NearNames.closest(wrong, names).map(near -> "; did you mean '" + near + "'?").orElse("")
        + " The scripts are "
        + names.stream().limit(MAX_SHOWN).collect(Collectors.joining(", "))
        + (names.size() > MAX_SHOWN ? " and " + (names.size() - MAX_SHOWN) + " others" : "");
  }
}
