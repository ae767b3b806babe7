package dev.assay.frontend.http;

import jakarta.servlet.http.HttpServletRequest;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/** The connections beneath requests. */
final class Connections {
  private Connections() {}

  /** The connection that a request came by. */
  static EndPoint of(HttpServletRequest request) {
    return ServletContextRequest.getServletContextRequest(request)
        .getConnectionMetaData()
        .getConnection()
        .getEndPoint();
  }

  /** What runs tasks later, of the server that a request came to. */
  static Scheduler schedulerOf(HttpServletRequest request) {
    return ServletContextRequest.getServletContextRequest(request)
        .getConnectionMetaData()
        .getConnector()
        .getScheduler();
  }
}
