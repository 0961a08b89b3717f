import SwiftSyntax

// Inverses, as far as both sides stand in one class. Of two classes the compiler says what is wrong.
extension ModelCheck {
    /// Where both sides name the other one, Swift finds that each needs the other's type before its own.
    func checkInverses() {
        var seen: Set<String> = []
        for property in model.persistent {
            guard let (argument, name) = inverse(of: property) else { continue }
            defer { seen.insert(property.name) }
            guard seen.contains(name),
                let other = model.persistent.first(where: { $0.name == name }),
                inverse(of: other)?.name == property.name
            else { continue }
            report(
                "inverses", "only one of '\(name)' and '\(property.name)' names the other as its inverse", at: argument)
        }
    }

    /// The argument of `@Relationship`, and the property of this class that it leads to.
    private func inverse(of property: StoredProperty) -> (argument: LabeledExprSyntax, name: String)? {
        let arguments = property.attribute("Relationship")?.arguments?.as(LabeledExprListSyntax.self)
        guard let argument = arguments?.first(where: { $0.label?.text == "inverse" }),
            let keyPath = argument.expression.as(KeyPathExprSyntax.self), keyPath.root?.lastName == model.name,
            let component = keyPath.components.first?.component.as(KeyPathPropertyComponentSyntax.self)
        else { return nil }
        return (argument, component.declName.baseName.text.filter { $0 != "`" })
    }
}
