package dev.assay.jvm.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Interrupts the engine when the job is to stop. */
public final class Cancellation {
  private static final long PAUSE_MS = 10;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<Statement> statements = new ArrayList<>();
  private volatile boolean requested;

  Cancellation() {}

  /** The same connection, whose statements can be interrupted: the driver does so one by one. */
  Connection watch(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> invoke(connection, method, arguments));
  }

  private @Nullable Object invoke(
      Connection connection, Method method, @Nullable Object[] arguments) throws Throwable {
    try {
      @Nullable Object result = method.invoke(connection, arguments);
      if (result instanceof Statement statement) {
        add(statement);
      }
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private synchronized void add(Statement statement) throws SQLException {
    for (Statement known : List.copyOf(statements)) {
      if (known.isClosed()) {
        statements.remove(known);
      }
    }
    statements.add(statement);
  }

  /** Whether the job is to stop. */
  public boolean isRequested() {
    return requested;
  }

  /** Interrupts queries until the job has ended: one that has yet to begin cannot be. */
  public void request() throws InterruptedException {
    requested = true;
    do {
      interrupt();
    } while (!ended.await(PAUSE_MS, TimeUnit.MILLISECONDS));
  }

  private synchronized void interrupt() {
    if (ended.getCount() == 0) {
      return;
    }
    for (Statement statement : statements) {
      try {
        statement.cancel();
      } catch (SQLException e) {
        // It has been closed.
      }
    }
  }

  /** Lets queries run again, which only read what is there. */
  public synchronized void end() {
    ended.countDown();
  }
}
