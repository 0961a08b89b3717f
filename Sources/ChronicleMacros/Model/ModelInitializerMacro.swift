import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The implementation of `@ModelInitializer`, which replaces the properties with observers in the body of an initializer
/// with the initial values of their wrappers. An access to a property with a wrapper calls the observers in an
/// initializer, too, in contrast to one without a wrapper.
enum ModelInitializerMacro: BodyMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        guard let body = declaration.body else { return [] }
        guard let initializer = declaration.as(InitializerDeclSyntax.self),
            case .argumentList(let arguments)? = node.arguments
        else { return Array(body.statements) }
        let names = arguments.compactMap { $0.expression.as(StringLiteralExprSyntax.self)?.segments.description }
        return Array(DirectAssignments(of: names, in: initializer).replaced(in: body).statements)
    }
}

/// Replaces `self.name` and `name` in an initializer with `self._name.initialValue`.
///
/// As in an initializer of a class without wrappers, closures and local functions call observers. So do statements after
/// the initializer passes `self` to other code, which may have inserted the model into a context.
struct DirectAssignments {
    private let names: Set<String>
    private let parameters: Set<String>

    init(of names: [String], in initializer: InitializerDeclSyntax) {
        self.names = Set(names)
        parameters = Set(
            initializer.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).unquoted })
    }

    func replaced(in body: CodeBlockSyntax) -> CodeBlockSyntax {
        let rewriter = Rewriter(names, parameters)
        var body = body
        var isShared = names.isEmpty
        body.statements = CodeBlockItemListSyntax(
            body.statements.map { statement in
                isShared = isShared || SharingOfSelf(in: statement).isFound
                return isShared ? statement : rewriter.rewrite(statement).as(CodeBlockItemSyntax.self) ?? statement
            })
        return body
    }

    /// Returns whether ``replaced(in:)`` changes the body.
    func areContained(in body: CodeBlockSyntax) -> Bool {
        replaced(in: body).description != body.description
    }

    /// Finds uses of `self` except for its properties: arguments, values, and calls of methods.
    private final class SharingOfSelf: SyntaxVisitor {
        private(set) var isFound = false

        init(in statement: CodeBlockItemSyntax) {
            super.init(viewMode: .sourceAccurate)
            walk(statement)
        }

        override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
            if let callee = node.calledExpression.as(MemberAccessExprSyntax.self), callee.base?.isSelf == true {
                isFound = true
            }
            return .visitChildren
        }

        override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
            node.base?.isSelf == true ? .skipChildren : .visitChildren
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            if ExprSyntax(node).isSelf { isFound = true }
            return .skipChildren
        }
    }

    private final class Rewriter: SyntaxRewriter {
        let names: Set<String>
        /// The parameters and variables of the initializer that are visible, which properties of that name are not.
        private var scopes: [Set<String>]

        init(_ names: Set<String>, _ parameters: Set<String>) {
            self.names = names
            scopes = [parameters]
        }

        private func inScope<Result>(_ body: () -> Result) -> Result {
            scopes.append([])
            defer { scopes.removeLast() }
            return body()
        }

        private func rewritten<Node: SyntaxProtocol>(_ node: Node) -> Node { rewrite(node).as(Node.self) ?? node }

        // MARK: Scopes

        override func visit(_ node: IdentifierPatternSyntax) -> PatternSyntax {
            scopes[scopes.count - 1].insert(node.identifier.unquoted)
            return PatternSyntax(node)
        }

        // A variable is not visible in its own value.

        override func visit(_ node: PatternBindingSyntax) -> PatternBindingSyntax {
            let node = node.with(\.initializer, node.initializer.map(rewritten))
            return node.with(\.pattern, rewritten(node.pattern))
        }

        override func visit(_ node: OptionalBindingConditionSyntax) -> OptionalBindingConditionSyntax {
            let node = node.with(\.initializer, node.initializer.map(rewritten))
            return node.with(\.pattern, rewritten(node.pattern))
        }

        override func visit(_ node: MatchingPatternConditionSyntax) -> MatchingPatternConditionSyntax {
            let node = node.with(\.initializer, rewritten(node.initializer))
            return node.with(\.pattern, rewritten(node.pattern))
        }

        override func visit(_ node: CodeBlockSyntax) -> CodeBlockSyntax { inScope { super.visit(node) } }
        override func visit(_ node: WhileStmtSyntax) -> StmtSyntax { inScope { super.visit(node) } }
        override func visit(_ node: SwitchCaseSyntax) -> SwitchCaseSyntax { inScope { super.visit(node) } }

        override func visit(_ node: IfExprSyntax) -> ExprSyntax {
            let node = node.with(\.elseBody, node.elseBody.map(rewritten))
            return ExprSyntax(
                inScope {
                    let node = node.with(\.conditions, rewritten(node.conditions))
                    return node.with(\.body, rewritten(node.body))
                })
        }

        override func visit(_ node: ForStmtSyntax) -> StmtSyntax {
            let node = node.with(\.sequence, rewritten(node.sequence))
            return StmtSyntax(
                inScope {
                    var node = node.with(\.pattern, rewritten(node.pattern))
                    node.whereClause = node.whereClause.map(rewritten)
                    return node.with(\.body, rewritten(node.body))
                })
        }

        override func visit(_ node: CatchClauseSyntax) -> CatchClauseSyntax {
            inScope {
                if node.catchItems.isEmpty { scopes[scopes.count - 1].insert("error") }
                return super.visit(node)
            }
        }

        override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax {
            scopes[scopes.count - 1].insert(node.name.unquoted)
            return DeclSyntax(node)
        }

        // MARK: Names

        override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { ExprSyntax(node) }
        override func visit(_ node: ClassDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
        override func visit(_ node: StructDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
        override func visit(_ node: EnumDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
        override func visit(_ node: ActorDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
        override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }

        override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
            guard let base = node.base else { return ExprSyntax(node) }
            // The name of a member of another value is not that of the property.
            guard base.isSelf else { return ExprSyntax(node.with(\.base, rewritten(base))) }
            return replacement(for: node.declName, in: node) ?? ExprSyntax(node)
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
            let isLocal = scopes.contains { $0.contains(node.baseName.unquoted) }
            return isLocal ? ExprSyntax(node) : replacement(for: node, in: node) ?? ExprSyntax(node)
        }

        private func replacement(
            for name: DeclReferenceExprSyntax, in node: some ExprSyntaxProtocol
        ) -> ExprSyntax? {
            guard names.contains(name.baseName.unquoted), name.argumentNames == nil else { return nil }
            let value: ExprSyntax = "self._\(raw: name.baseName.unquoted).initialValue"
            return value.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
        }
    }
}

extension ExprSyntax {
    fileprivate var isSelf: Bool { trimmedDescription == "self" }
}

extension TokenSyntax {
    /// The text without backticks.
    fileprivate var unquoted: String { text.filter { $0 != "`" } }
}
