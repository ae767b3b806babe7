package dev.assay.frontend.tool;

import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.AnalyticsException;
import dev.assay.frontend.analytics.ErrorCode;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;

/** A tool whose errors have codes, in text and as structured content. */
abstract class AnalyticsTool implements Tool {
  /** The reply, where nothing goes wrong on the way to it. */
  abstract Reply answer(CallContext call, Arguments arguments) throws InterruptedException;

  /** An error in the form of this tool. */
  abstract Reply refused(AnalyticsError error);

  @Override
  public final Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    try {
      return answer(call, arguments);
    } catch (AnalyticsException e) {
      return refused(e.error());
    }
  }

  @Override
  public final Reply failure(String type, String message) {
    return refused(AnalyticsError.of(codeOf(type), message));
  }

  /** The code of a failure that is not one of the query. */
  ErrorCode codeOf(String type) {
    return switch (type) {
      case "TypeError", "ValueError", "IdempotencyKeyReused" -> ErrorCode.INVALID_INPUT;
      default -> ErrorCode.ENGINE_ERROR;
    };
  }
}
