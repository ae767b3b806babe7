package dev.assay.jvm.control;

import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sends {@code ready}, {@code started}, {@code result}, {@code ended}; receives one job, and {@code
 * stop}. In between code may call tools, of which it receives the results.
 */
public final class ControlSocket {
  /** A job whose texts, of 512 KiB together, have every character escaped. */
  private static final int MAX_JOB_BYTES = 4 * 1024 * 1024;

  private static final int MAX_COMMAND_BYTES = 4096;

  /** A piece of the result of a call, of 192 KiB, in base64. */
  private static final int MAX_PIECE_BYTES = 512 * 1024;

  private static final Duration STOP_POLL = Duration.ofMillis(20);

  private final InputStream input;
  private final OutputStream output;

  /** A socket by its two directions. */
  public ControlSocket(InputStream input, OutputStream output) {
    this.input = input;
    this.output = output;
  }

  /**
   * The socket that this process has as its standard input. Streams, since the channel of a socket
   * takes a tenth of the worker's start.
   */
  public static ControlSocket inherited() {
    return new ControlSocket(
        new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.in));
  }

  /**
   * Reports that the worker waits for a job.
   *
   * @throws IOException also if standard input is something else than a socket
   */
  public void ready(long importsMs, long datasetMs) throws IOException {
    try {
      send(Messages.ready(importsMs, datasetMs));
    } catch (IOException e) {
      throw new IOException(
          "standard input is not a socket that can be written: the launcher starts this program",
          e);
    }
  }

  /** The job; empty if there will be none. */
  public Optional<Job> receiveJob() throws IOException {
    Optional<byte[]> body = Frames.read(input, MAX_JOB_BYTES);
    return body.isEmpty() ? Optional.empty() : Optional.of(JobReader.read(body.get()));
  }

  /**
   * Waits for the request to stop; returns false for another message.
   *
   * <p>It polls, since {@link Runtime#halt} waits up to 300 ms for a thread that blocks in a read.
   */
  public boolean awaitStop() throws IOException, InterruptedException {
    while (input.available() == 0) {
      Thread.sleep(STOP_POLL);
    }
    Optional<byte[]> body = Frames.read(input, MAX_COMMAND_BYTES);
    return body.isPresent() && Messages.type(body.get()).equals("stop");
  }

  /** Reports that the first instruction of the user comes next. */
  public void started() throws IOException {
    send(Messages.plain("started"));
  }

  /** Asks for the result of a call; only if the job has tools. */
  void toolCall(long call, ToolCalls.@Nullable Batch batch, ToolRequest request)
      throws IOException {
    send(Messages.toolCall(call, batch, request));
  }

  /**
   * Waits for a piece of the result of a call.
   *
   * @throws IOException also if there will be none
   */
  Messages.ResultPiece resultPiece() throws IOException {
    Optional<byte[]> body = Frames.read(input, MAX_PIECE_BYTES);
    if (body.isEmpty()) {
      throw new EOFException("the connection to the supervisor is closed");
    }
    return Messages.resultPiece(body.get());
  }

  /** Sends how the job ended. */
  public void result(@Nullable JobFailure failure, @Nullable String value) throws IOException {
    send(Messages.result(failure, value));
  }

  /** Reports that all was sent that there is, as {@code stop} requested. */
  public void stopped() throws IOException {
    send(Messages.plain("stopped"));
  }

  /** Reports that only the end of the process is left. */
  public void ended(int code) throws IOException {
    send(Messages.ended(code));
  }

  private void send(byte[] body) throws IOException {
    output.write(Frames.encode(body).array());
  }
}
