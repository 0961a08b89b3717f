import SwiftSyntax
import SwiftSyntaxMacros

extension ModelCheck {
    /// Reports duplicates of `#Unique` and `#Index`, uses for another class, and key paths that do not refer to a stored
    /// property of the class. The compiler checks that the key paths exist.
    func checkConstraints() {
        var seen: Set<String> = []
        for member in model.declaration.memberBlock.members {
            guard let macro = member.decl.as(MacroExpansionDeclSyntax.self) else { continue }
            let kind = macro.macroName.text
            guard ["Unique", "Index"].contains(kind) else { continue }
            if !seen.insert(kind).inserted {
                report("second", "a model can have only one #\(kind); pass all arrays of key paths to it", at: macro)
            } else if let type = macro.otherType(than: model.name) {
                let name = TypeSyntax(IdentifierTypeSyntax(name: .identifier(model.name)))
                report(
                    "otherModel", "#\(kind) must refer to the enclosing model \(model.name)", at: type,
                    [.replace("use '\(model.name)'", type, with: name)])
            } else {
                checkKeyPaths(of: macro)
            }
        }
    }

    private func checkKeyPaths(of macro: MacroExpansionDeclSyntax) {
        let stored = Set(model.persistent.map(\.name))
        for (component, name, isNested) in macro.arguments.names(in: model.name) {
            if stored.contains(name) {
                guard isNested else { continue }
                report(
                    "inside", "#\(macro.macroName.text) does not support nested key paths; use '\(name)'", at: component
                )
                continue
            }
            // The source text does not show the inherited properties.
            if isSubclass { continue }
            report(
                "keyPath", "\(model.name) has no stored property '\(name)'", at: component,
                nearest(to: name, in: stored).map { near in
                    let new = component.with(\.baseName, .identifier(near))
                    return [.replace("use '\(near)'", component, with: new)]
                } ?? [])
        }
    }

    /// `nil` if the most similar name is a different word.
    private func nearest(to name: String, in names: Set<String>) -> String? {
        let best = names.map { (distance: Self.distance(name, $0), name: $0) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best.flatMap { $0.distance <= max(1, name.count / 3) && $0.distance < name.count ? $0.name : nil }
    }

    private static func distance(_ first: String, _ second: String) -> Int {
        var row = Array(0...second.count)
        for (i, a) in first.lowercased().enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in second.lowercased().enumerated() {
                (diagonal, row[j + 1]) = (
                    row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
                )
            }
        }
        return row[second.count]
    }
}

extension MacroExpansionDeclSyntax {
    /// The type in angle brackets, if it has another name.
    fileprivate func otherType(than name: String) -> TypeSyntax? {
        guard let argument = genericArgumentClause?.arguments.first?.argument, let type = argument.as(TypeSyntax.self)
        else { return nil }
        return type.lastName.map { $0 == name || $0 == "Self" } ?? true ? nil : type
    }
}

extension LabeledExprListSyntax {
    /// The first property of each key path after the model's name in `\Module.Trip.name`, and whether the key path
    /// continues.
    fileprivate func names(in model: String) -> [(DeclReferenceExprSyntax, String, isNested: Bool)] {
        let finder = KeyPathFinder(model: model)
        finder.walk(self)
        return finder.found
    }
}

private final class KeyPathFinder: SyntaxVisitor {
    let model: String
    var found: [(DeclReferenceExprSyntax, String, isNested: Bool)] = []

    init(model: String) {
        self.model = model
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
        let properties = node.components.map { $0.component.as(KeyPathPropertyComponentSyntax.self) }
        // The root of a type with a qualified name is only its first name.
        let own = node.root == nil ? nil : properties.firstIndex { $0?.declName.baseName.text == model }
        let start = own.map { $0 + 1 } ?? 0
        if start < properties.count, let property = properties[start] {
            let name = property.declName.baseName.text.filter { $0 != "`" }
            found.append((property.declName, name, start + 1 < properties.count))
        }
        return .skipChildren
    }
}
