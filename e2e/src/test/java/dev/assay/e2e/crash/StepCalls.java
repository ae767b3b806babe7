package dev.assay.e2e.crash;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Inserts calls into the methods of one class: one at the beginning of a step and one before each
 * return. A method that throws makes no second call.
 */
final class StepCalls implements ClassTransform {
  private static final MethodTypeDesc REACHED =
      MethodTypeDesc.of(
          ConstantDescs.CD_void,
          ConstantDescs.CD_String,
          ConstantDescs.CD_String,
          ConstantDescs.CD_Object.arrayType());

  private final ClassDesc called;
  private final List<Step> steps;

  /**
   * Calls into a class.
   *
   * @param called has {@code static void reached(String step, String when, Object[] arguments)};
   *     {@code when} is {@code before} or {@code after}, and {@code arguments} are those of the
   *     method that are objects
   * @param steps of one class
   */
  StepCalls(ClassDesc called, List<Step> steps) {
    this.called = called;
    this.steps = steps;
  }

  /** The class file with the calls. */
  byte[] insert(byte[] classFile) {
    ClassFile format = ClassFile.of();
    return format.transformClass(format.parse(classFile), this);
  }

  @Override
  public void accept(ClassBuilder builder, ClassElement element) {
    if (element instanceof MethodModel method && method.code().isPresent()) {
      steps.stream()
          .filter(step -> method.methodName().equalsString(step.method()))
          .findFirst()
          .ifPresentOrElse(
              step ->
                  builder.transformMethod(
                      method,
                      MethodTransform.transformingCode(
                          new Calls(step, method.methodTypeSymbol().parameterList()))),
              () -> builder.with(method));
    } else {
      builder.with(element);
    }
  }

  private final class Calls implements CodeTransform {
    private final Step step;
    private final List<ClassDesc> parameters;

    Calls(Step step, List<ClassDesc> parameters) {
      this.step = step;
      this.parameters = parameters;
    }

    @Override
    public void atStart(CodeBuilder code) {
      call(code, "before");
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      if (element instanceof ReturnInstruction) {
        call(code, "after");
      }
      code.with(element);
    }

    private void call(CodeBuilder code, String when) {
      int[] objects =
          IntStream.range(0, parameters.size())
              .filter(i -> !parameters.get(i).isPrimitive())
              .toArray();
      code.loadConstant(step.name())
          .loadConstant(when)
          .loadConstant(objects.length)
          .anewarray(ConstantDescs.CD_Object);
      for (int i = 0; i < objects.length; i++) {
        code.dup().loadConstant(i).aload(code.parameterSlot(objects[i])).aastore();
      }
      code.invokestatic(called, "reached", REACHED);
    }
  }
}
