package dev.assay.operator.run.model;

import dev.assay.operator.run.model.Explorer.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The steps that are possible in a state, as they are found. */
final class Steps {
  private final World world;
  private final List<Step<World>> found = new ArrayList<>();

  Steps(World world) {
    this.world = world;
  }

  List<Step<World>> found() {
    return found;
  }

  void add(Supplier<String> name, Consumer<World> change) {
    World after = world.copy();
    change.accept(after);
    found.add(new Step<>(name, after.canonical()));
  }

  /** A fault by which a run may be lost. */
  void addLoss(Supplier<String> name, Consumer<World> change) {
    addFault(name, change.andThen(World::lose));
  }

  void addFault(Supplier<String> name, Consumer<World> change) {
    if (world.faults() > 0) {
      World after = world.afterFault();
      change.accept(after);
      found.add(new Step<>(() -> "FAULT: " + name.get(), after.canonical()));
    }
  }

  /** Two processes work at once only if one was replaced and does not know it. */
  void addAtWork(int process, Supplier<String> name, Consumer<World> change) {
    if (Executions.isAlone(world, process)) {
      add(name, change);
    } else {
      addFault(() -> "beside another process, " + name.get(), change);
    }
  }

  String name(int worker) {
    return name(worker, world.process(worker));
  }

  String name(int worker, int process) {
    return "execution %d of run %d in process %d".formatted(worker, World.runOf(worker), process);
  }
}
