package dev.assay.jvm.javascript;

import dev.assay.jvm.javascript.Program.Form;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Decides how code is run: as a script, and only where it returns or awaits outside of functions as
 * the body of one. Its value is then that of {@code return}, or else of the last expression.
 */
final class ScriptCompiler {
  private static final String ASYNC_BEFORE = "async () => {";
  private static final String ASYNC_AFTER = "\n}";
  private static final String RETURN = "return ";

  /**
   * In a script {@code await} is a name, so that V8 accepts what follows here as a call, an index
   * or an operator.
   */
  private static final Pattern MAY_AWAIT = Pattern.compile("\\bawait\\s*[(\\[+\\-/`]");

  private static final Pattern AWAIT = Pattern.compile("\\bawait\\b");

  private final SyntaxCheck check;
  private final Swc swc;

  ScriptCompiler(SyntaxCheck check, Swc swc) {
    this.check = check;
    this.swc = swc;
  }

  /** Tells whether V8 compiles a program. */
  @FunctionalInterface
  interface SyntaxCheck {
    /** The first error; empty if there is none. */
    Optional<SyntaxError> errorIn(Program program);
  }

  /**
   * An error of V8.
   *
   * @param message its words
   * @param position in the text of the program
   */
  record SyntaxError(String message, Position position) {
    /** Whether the code may be the body of a function. */
    boolean isOfBody() {
      return message.equals("Illegal return statement")
          || message.startsWith("await is only valid")
          // Of `for await` and `await using`.
          || message.equals("Unexpected reserved word")
          || message.equals("Unexpected identifier 'using'");
    }
  }

  /**
   * The program of code.
   *
   * @throws JobFailure TRANSPILE_ERROR or SYNTAX_ERROR
   */
  Program compile(String code, ScriptLanguage language) throws JobFailure {
    String text = MarkdownFence.removed(code);
    Source source =
        language == ScriptLanguage.TYPESCRIPT
            ? swc.transpile(text)
            : new Source(text, Positions.SAME);
    Program script = new Program(source, Form.SCRIPT);
    Optional<SyntaxError> error = check.errorIn(script);
    if (error.isPresent() && !error.get().isOfBody()) {
      // V8 says of `await` in the middle of an expression only that what follows is unexpected.
      Optional<FunctionBody> body =
          AWAIT.matcher(source.text()).find() ? swc.parse(source.text()) : Optional.empty();
      if (body.isPresent() && body.get().awaits()) {
        return asBody(source, body, error);
      }
      throw failure(error.get(), source);
    }
    if (error.isEmpty() && !MAY_AWAIT.matcher(source.text()).find()) {
      return script;
    }
    Optional<FunctionBody> body = swc.parse(source.text());
    if (error.isPresent()) {
      return asBody(source, body, error);
    }
    return body.isPresent() && body.get().awaits() ? unlessName(script, body) : script;
  }

  /** A script that V8 accepts has a variable {@code await} where it does not compile as a body. */
  private Program unlessName(Program script, Optional<FunctionBody> body) {
    try {
      return asBody(script.source(), body, Optional.empty());
    } catch (JobFailure e) {
      return script;
    }
  }

  private Program asBody(
      Source source, Optional<FunctionBody> body, Optional<SyntaxError> scriptError)
      throws JobFailure {
    OptionalInt last = body.isEmpty() ? OptionalInt.empty() : body.get().lastExpression();
    Source returning = last.isEmpty() ? source : source.inserted(last.getAsInt(), RETURN);
    boolean awaits =
        body.isEmpty()
            ? scriptError.isPresent() && !scriptError.get().message().startsWith("Illegal return")
            : body.get().awaits();
    Program program =
        awaits ? asynchronous(returning, '(', ')') : new Program(returning, Form.BODY);
    Optional<SyntaxError> error = check.errorIn(program);
    if (error.isEmpty() && awaits && body.isEmpty()) {
      // Code that closes the function itself cannot do so in both.
      error = check.errorIn(asynchronous(returning, '[', ']'));
    }
    if (error.isPresent()) {
      throw failure(error.get(), program.source());
    }
    return program;
  }

  private static Program asynchronous(Source source, char before, char after) {
    Source begun = source.inserted(0, before + ASYNC_BEFORE);
    return new Program(
        new Source(begun.text() + ASYNC_AFTER + after, begun.positions()), Form.FUNCTION);
  }

  private static JobFailure failure(SyntaxError error, Source source) {
    Position position = source.positions().original(error.position());
    return JobFailure.inScript(
        ErrorCode.SYNTAX_ERROR,
        "SyntaxError",
        error.message(),
        new JobFailure.Place(position.line(), position.column(), ""),
        "");
  }
}
