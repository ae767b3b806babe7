package dev.assay.frontend.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/** Answers 200 while something holds, else 503. */
final class HealthServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  private final transient BooleanSupplier holds;

  HealthServlet(BooleanSupplier holds) {
    this.holds = holds;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    boolean well = holds.getAsBoolean();
    response.setStatus(well ? 200 : 503);
    response.setContentType("text/plain");
    response.getOutputStream().write((well ? "ok\n" : "not ready\n").getBytes(US_ASCII));
  }
}
