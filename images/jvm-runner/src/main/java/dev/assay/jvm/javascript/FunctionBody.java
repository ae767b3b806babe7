package dev.assay.jvm.javascript;

import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstConstructor;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstFunction;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstGetterProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstSetterProp;
import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstStaticBlock;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstArrowExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstAwaitExpr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstStmt;
import com.caoccao.javet.swc4j.ast.program.Swc4jAstScript;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstExprStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstForOfStmt;
import com.caoccao.javet.swc4j.ast.stmt.Swc4jAstUsingDecl;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;

/**
 * What a text is as the body of a function.
 *
 * @param lastExpression where the last statement begins, if it is an expression
 * @param awaits whether it awaits outside of the functions in it
 */
record FunctionBody(OptionalInt lastExpression, boolean awaits) {
  /** What the syntax tree of a text says. */
  static FunctionBody of(String text, Swc4jAstScript script) {
    List<ISwc4jAstStmt> statements = script.getBody();
    OptionalInt last = OptionalInt.empty();
    if (!statements.isEmpty() && statements.getLast() instanceof Swc4jAstExprStmt expression) {
      // swc counts characters.
      last = OptionalInt.of(text.offsetByCodePoints(0, expression.getSpan().getStart()));
    }
    return new FunctionBody(last, awaits(script));
  }

  /** With a queue, since code may be nested deeper than Java's stack. */
  private static boolean awaits(ISwc4jAst root) {
    Deque<ISwc4jAst> pending = new ArrayDeque<>(List.of(root));
    while (!pending.isEmpty()) {
      ISwc4jAst node = pending.pop();
      if (isAwait(node)) {
        return true;
      }
      if (!isFunction(node)) {
        for (ISwc4jAst child : node.getChildNodes()) {
          if (child != null) {
            pending.push(child);
          }
        }
      }
    }
    return false;
  }

  private static boolean isAwait(ISwc4jAst node) {
    return node instanceof Swc4jAstAwaitExpr
        || (node instanceof Swc4jAstForOfStmt loop && loop.isAwait())
        || (node instanceof Swc4jAstUsingDecl using && using.isAwait());
  }

  private static boolean isFunction(ISwc4jAst node) {
    return node instanceof Swc4jAstFunction
        || node instanceof Swc4jAstArrowExpr
        || node instanceof Swc4jAstConstructor
        || node instanceof Swc4jAstGetterProp
        || node instanceof Swc4jAstSetterProp
        || node instanceof Swc4jAstStaticBlock;
  }
}
