package dev.assay.frontend.http;

import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.rest.Answer;
import dev.assay.frontend.rest.ErrorDocument;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Writes what the REST API answers. */
final class AnswerWriter {
  private final JsonMapper json;
  private final Answers answers;
  private final Duration heartbeat;

  /**
   * A writer.
   *
   * @param heartbeat longest silence of a JSON answer that is not ready
   */
  AnswerWriter(JsonMapper json, Duration heartbeat) {
    this.json = json;
    this.answers = new Answers(json);
    this.heartbeat = heartbeat;
  }

  /** Writes an answer, for as long as it takes. */
  void write(Answer answer, HttpServletRequest request, HttpServletResponse response)
      throws IOException, InterruptedException {
    switch (answer) {
      case Answer.Document document -> {
        locate(response, document.location());
        if (document.status() == 429) {
          response.setHeader("Retry-After", "1");
        }
        answers.json(response, document.status(), document.value());
      }
      case Answer.Finished finished -> answers.json(response, 200, finished.json());
      case Answer.Done done -> response.setStatus(204);
      case Answer.Awaited awaited -> {
        locate(response, awaited.location());
        Cancellation cancellation = new Cancellation();
        Runnable onDisconnect = () -> cancellation.cancel(Cancellation.Cause.DISCONNECTED);
        try (JsonReply reply =
            new JsonReply(response, awaited.status(), json, heartbeat, onDisconnect)) {
          reply.respond(awaited.pending().document(cancellation));
        }
      }
      case Answer.File file -> {
        response.setStatus(file.status());
        file.headers().forEach(response::setHeader);
        response.setContentLengthLong(file.length());
        file.transfer().to(new PieceStream(response.getOutputStream())::write, new Cancellation());
      }
      case Answer.OutOfRange out -> {
        response.setHeader("Content-Range", "bytes */" + out.length());
        error(response, 416, "The file has " + out.length() + " bytes, and not those of the range");
      }
      case Answer.Pieces pieces -> {
        Cancellation cancellation = new Cancellation();
        Runnable onGone = () -> cancellation.cancel(Cancellation.Cause.DISCONNECTED);
        ClientWatch watch = pieces.live() ? ClientWatch.of(request, response, onGone) : null;
        try {
          pieces.transfer().to(PieceStream.ofOutput(response)::write, cancellation);
        } finally {
          if (watch != null) {
            watch.close();
          }
        }
      }
    }
  }

  private static void locate(HttpServletResponse response, @Nullable String location) {
    if (location != null) {
      response.setHeader("Location", location);
    }
  }

  /** Writes why a request was not done. */
  void error(HttpServletResponse response, int status, String message) throws IOException {
    answers.json(response, status, ErrorDocument.of(status, message));
  }
}
