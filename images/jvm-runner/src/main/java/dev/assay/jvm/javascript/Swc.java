package dev.assay.jvm.javascript;

import com.caoccao.javet.swc4j.Swc4j;
import com.caoccao.javet.swc4j.ast.program.Swc4jAstScript;
import com.caoccao.javet.swc4j.enums.Swc4jMediaType;
import com.caoccao.javet.swc4j.enums.Swc4jParseMode;
import com.caoccao.javet.swc4j.enums.Swc4jSourceMapOption;
import com.caoccao.javet.swc4j.exceptions.Swc4jCoreException;
import com.caoccao.javet.swc4j.options.Swc4jParseOptions;
import com.caoccao.javet.swc4j.options.Swc4jTranspileOptions;
import com.caoccao.javet.swc4j.outputs.Swc4jTranspileOutput;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The compiler swc, which is loaded when it is first needed. */
final class Swc {
  /** The end of its message; columns count characters. */
  private static final Pattern PLACE =
      Pattern.compile("at file:///\\S*:(\\d{1,9}):(\\d{1,9})\\s*$");

  /** Where the place is looked for: before it is code of the user, which may look like one. */
  private static final int MAX_PLACE = 200;

  private static final String ERROR_PREFIX = "SyntaxError: ";

  private static final JsonFactory JSON = new JsonFactory();

  private @Nullable Swc4j loaded;

  private Swc4j swc() {
    Swc4j swc = loaded;
    if (swc == null) {
      swc = new Swc4j();
      loaded = swc;
    }
    return swc;
  }

  /**
   * JavaScript of TypeScript, whose types are taken off and not checked.
   *
   * @throws JobFailure TRANSPILE_ERROR, where it is no TypeScript
   */
  Source transpile(String code) throws JobFailure {
    Swc4jTranspileOptions options =
        new Swc4jTranspileOptions()
            .setMediaType(Swc4jMediaType.TypeScript)
            .setParseMode(Swc4jParseMode.Script)
            .setSourceMap(Swc4jSourceMapOption.Separate)
            .setInlineSources(false);
    try {
      Swc4jTranspileOutput output = swc().transpile(code, options);
      return new Source(output.getCode(), new SourceMap(() -> mappings(output.getSourceMap())));
    } catch (Swc4jCoreException e) {
      throw failure(String.valueOf(e.getMessage()));
    }
  }

  /** What JavaScript is as the body of a function; empty where swc finds an error in it. */
  Optional<FunctionBody> parse(String text) {
    Swc4jParseOptions options =
        new Swc4jParseOptions()
            .setMediaType(Swc4jMediaType.JavaScript)
            .setParseMode(Swc4jParseMode.Script)
            .setCaptureAst(true);
    try {
      return swc().parse(text, options).getProgram() instanceof Swc4jAstScript script
          ? Optional.of(FunctionBody.of(text, script))
          : Optional.empty();
    } catch (Swc4jCoreException e) {
      return Optional.empty();
    }
  }

  private static String mappings(String sourceMap) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), sourceMap)) {
      while (json.nextToken() != null) {
        if (json.hasToken(JsonToken.PROPERTY_NAME) && json.currentName().equals("mappings")) {
          json.nextToken();
          return json.getString();
        }
      }
    }
    return "";
  }

  /** An error in its words, without its picture of the line. */
  static JobFailure failure(String text) {
    String message = text.lines().findFirst().orElse("");
    Matcher place = PLACE.matcher(text.substring(Math.max(0, text.length() - MAX_PLACE)));
    return JobFailure.inScript(
        ErrorCode.TRANSPILE_ERROR,
        "SyntaxError",
        message.startsWith(ERROR_PREFIX) ? message.substring(ERROR_PREFIX.length()) : message,
        place.find()
            ? new JobFailure.Place(
                Integer.parseInt(place.group(1)), Integer.parseInt(place.group(2)), "")
            : null,
        "");
  }
}
