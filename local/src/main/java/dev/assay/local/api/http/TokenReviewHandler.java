package dev.assay.local.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.authentication.TokenReviewer;
import dev.assay.local.api.status.ApiException;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewSpec;
import java.io.IOException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** Answers token reviews, which are not kept. */
final class TokenReviewHandler {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CREATED = 201;

  private final TokenReviewer reviewer;

  TokenReviewHandler(TokenReviewer reviewer) {
    this.reviewer = reviewer;
  }

  void serve(RequestInfo info, Request request, Response response) throws IOException {
    if (!info.isCollection() || !request.getMethod().equals("POST")) {
      throw ApiException.methodNotAllowed();
    }
    Bodies.requireJson(request);
    JsonNode body = Bodies.read(request);
    if (!(body instanceof ObjectNode review) || !body.path("spec").path("token").isTextual()) {
      throw ApiException.badRequest("the body of the request is not a TokenReview with a token");
    }
    TokenReviewSpec spec;
    try {
      spec = JSON.convertValue(review.path("spec"), TokenReviewSpec.class);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("the spec of the TokenReview cannot be read");
    }
    review.set("status", JSON.valueToTree(reviewer.review(spec)));
    Bodies.write(response, CREATED, review);
  }
}
