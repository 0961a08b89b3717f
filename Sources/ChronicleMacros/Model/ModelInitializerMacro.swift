import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelInitializer` replaces the properties with observers in an initializer with the initial values of their wrappers:
/// in contrast to a property without a wrapper, an access in an initializer calls the observers.
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
        let names = arguments.compactMap { text(of: $0.expression) }
        let methods = arguments.compactMap { $0.expression.as(ArrayExprSyntax.self)?.elements }.joined()
            .compactMap { text(of: $0.expression) }
        return Array(DirectAssignments(of: names, methods: methods, in: initializer).replaced(in: body).statements)
    }

    private static func text(of expression: ExprSyntax) -> String? {
        expression.as(StringLiteralExprSyntax.self)?.segments.description
    }
}

/// Replaces `self.name` and `name` in an initializer with `self._name.initialValue`. As in a class without wrappers,
/// closures and local functions call observers. So do statements after the initializer passes `self` to other code, which
/// may have inserted the model into a context.
/// the initializer passes `self` to other code, which may have inserted the model into a context.
struct DirectAssignments {
    private let names: Set<String>
    /// An initializer may call these without `self`.
    private let methods: Set<String>
    private let parameters: Set<String>

    init(of names: [String], methods: [String], in initializer: InitializerDeclSyntax) {
        (self.names, self.methods) = (Set(names), Set(methods))
        parameters = Set(
            initializer.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).unquoted })
    }

    func replaced(in body: CodeBlockSyntax) -> CodeBlockSyntax {
        if names.isEmpty { return body }
        let rewriter = Rewriter(names, parameters, methods)
        return body.with(\.statements, rewriter.rewritten(body.statements))
    }

    func areContained(in body: CodeBlockSyntax) -> Bool {
        replaced(in: body).description != body.description
    }

    /// Finds uses of `self` except for properties: arguments, values, and calls of methods.
    private final class SharingOfSelf: SyntaxVisitor {
        private(set) var isFound = false
        private let methods: Set<String>
        /// The parameters and variables that are visible, which methods of that name are not.
        private var scopes: [Set<String>]

        init(in node: some SyntaxProtocol, _ methods: Set<String>, _ scopes: [Set<String>]) {
            (self.methods, self.scopes) = (methods, scopes + [[]])
            super.init(viewMode: .sourceAccurate)
            walk(node)
        }

        override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
            if let root = node.root { walk(root) }
            return .skipChildren
        }

        override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
            if let callee = node.calledExpression.as(MemberAccessExprSyntax.self) {
                let isOfSuper = callee.base?.is(SuperExprSyntax.self) == true && callee.declName.baseName.text != "init"
                if isOfSuper || callee.base?.isSelf == true { isFound = true }
            }
            return .visitChildren
        }

        override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
            if node.base?.isSelf == true {
                visit(node.declName, isMember: true)
            } else if let base = node.base {
                walk(base)
            }
            return .skipChildren
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            visit(node, isMember: false)
            return .skipChildren
        }

        private func visit(_ node: DeclReferenceExprSyntax, isMember: Bool) {
            let name = node.baseName.unquoted
            let isLocal = !isMember && scopes.contains { $0.contains(name) }
            if methods.contains(name) && !isLocal || !isMember && ExprSyntax(node).isSelf { isFound = true }
        }

        // MARK: Scopes

        private func add(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
            scopes[scopes.count - 1].insert(name.unquoted)
            return .skipChildren
        }

        private func inScope(_ nodes: (any SyntaxProtocol)?..., names: [String] = []) -> SyntaxVisitorContinueKind {
            scopes.append(Set(names))
            defer { scopes.removeLast() }
            return inOrder(nodes)
        }

        private func inOrder(_ nodes: [(any SyntaxProtocol)?]) -> SyntaxVisitorContinueKind {
            for case let node? in nodes { walk(node) }
            return .skipChildren
        }

        override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind { add(node.identifier) }
        override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind { add(node.name) }
        override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
            add(node.secondName ?? node.firstName)
        }
        override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
            if let value = node.defaultValue { walk(value) }
            return add(node.secondName ?? node.firstName)
        }

        // A variable is not visible in its own value.

        override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
            _ = inOrder([node.initializer, node.pattern])
            return inScope(node.accessorBlock)
        }
        override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
            inOrder([node.initializer, node.pattern])
        }
        override func visit(_ node: MatchingPatternConditionSyntax) -> SyntaxVisitorContinueKind {
            inOrder([node.initializer, node.pattern])
        }

        override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { inScope(node.statements) }
        override func visit(_ node: MemberBlockSyntax) -> SyntaxVisitorContinueKind { inScope(node.members) }
        override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
            inScope(node.signature, node.statements)
        }
        override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
            inScope(node.conditions, node.body)
        }
        override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
            inScope(node.label, node.statements)
        }
        override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
            _ = inOrder([node.elseBody])
            return inScope(node.conditions, node.body)
        }
        override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
            walk(node.sequence)
            return inScope(node.pattern, node.whereClause, node.body)
        }
        override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
            inScope(node.catchItems, node.body, names: node.catchItems.isEmpty ? ["error"] : [])
        }
        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            _ = add(node.name)
            return inScope(node.signature, node.body)
        }
    }

    private final class Rewriter: SyntaxRewriter {
        let names: Set<String>
        /// The visible parameters and variables, which hide properties.
        private var scopes: [Set<String>]
        private let methods: Set<String>
        private var isShared = false

        init(_ names: Set<String>, _ parameters: Set<String>, _ methods: Set<String>) {
            (self.names, self.methods) = (names, methods)
            scopes = [parameters]
        }

        private func inScope<Result>(_ body: () -> Result) -> Result {
            scopes.append([])
            defer { scopes.removeLast() }
            return body()
        }

        func rewritten<Node: SyntaxProtocol>(_ node: Node) -> Node { rewrite(node).as(Node.self) ?? node }

        // MARK: Statements

        override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
            // The other branches of a statement are not executed.
            let before = isShared
            defer { isShared = before }
            return CodeBlockItemListSyntax(
                zip(node, node.indices).map { statement, index in
                    if isShared { return statement }
                    // It runs after the statements that follow.
                    if statement.item.is(DeferStmtSyntax.self), node[index...].dropFirst().contains(where: isFound) {
                        return statement
                    }
                    if !isFound(in: statement) { return rewritten(statement) }
                    defer { isShared = true }
                    return hasOnlySharingBranches(statement) ? rewritten(statement) : statement
                })
        }

        private func isFound(in node: some SyntaxProtocol) -> Bool {
            SharingOfSelf(in: node, methods, scopes).isFound
        }

        /// Whether the statements before the sharing one can be replaced in the parts of a statement.
        private func hasOnlySharingBranches(_ statement: CodeBlockItemSyntax) -> Bool {
            if statement.item.is(DoStmtSyntax.self) || statement.item.is(IfConfigDeclSyntax.self) { return true }
            let expression =
                statement.item.as(ExpressionStmtSyntax.self)?.expression ?? statement.item.as(ExprSyntax.self)
            if let node = expression?.as(SwitchExprSyntax.self) {
                return !isFound(in: node.subject)
                    && node.cases.allSatisfy { $0.as(SwitchCaseSyntax.self).map { !isFound(in: $0.label) } ?? false }
            }
            var branch = expression?.as(IfExprSyntax.self)
            guard branch != nil else { return false }
            while let node = branch {
                if isFound(in: node.conditions) { return false }
                branch = node.elseBody?.as(IfExprSyntax.self)
            }
            return true
        }

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

        override func visit(_ node: DoStmtSyntax) -> StmtSyntax {
            // A catch clause may run after the sharing.
            guard isFound(in: node.body) else { return super.visit(node) }
            return StmtSyntax(node.with(\.body, rewritten(node.body)))
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
    fileprivate var unquoted: String { text.filter { $0 != "`" } }
}
