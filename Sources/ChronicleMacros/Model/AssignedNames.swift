import SwiftSyntax

/// The names that an initializer assigns with `name = …` or `self.name = …`.
struct AssignedNames {
    private(set) var names: Set<String> = []
    /// Whether the body calls another initializer, which assigns the other properties.
    private(set) var delegates = false

    init(in body: CodeBlockSyntax) {
        let finder = Finder(viewMode: .sourceAccurate)
        finder.walk(body)
        (names, delegates) = (finder.names, finder.delegates)
    }

    private final class Finder: SyntaxVisitor {
        var names: Set<String> = []
        var delegates = false

        override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
            let elements = Array(node.elements)
            for (index, element) in elements.enumerated().dropFirst() where element.is(AssignmentExprSyntax.self) {
                collect(elements[index - 1])
            }
            return .visitChildren
        }

        // The form of an assignment after operator folding.
        override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
            if node.operator.is(AssignmentExprSyntax.self) { collect(node.leftOperand) }
            return .visitChildren
        }

        override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
            if let callee = node.calledExpression.as(MemberAccessExprSyntax.self),
                callee.base?.trimmedDescription == "self", callee.declName.baseName.text == "init"
            {
                delegates = true
            }
            return .visitChildren
        }

        private func collect(_ target: ExprSyntax) {
            if let tuple = target.as(TupleExprSyntax.self) {
                for element in tuple.elements { collect(element.expression) }
            } else if let member = target.as(MemberAccessExprSyntax.self), member.base?.trimmedDescription == "self" {
                names.insert(member.declName.baseName.text.filter { $0 != "`" })
            } else if let name = target.as(DeclReferenceExprSyntax.self) {
                names.insert(name.baseName.text.filter { $0 != "`" })
            }
        }
    }
}
