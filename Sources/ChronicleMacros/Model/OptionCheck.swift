import SwiftSyntax
import SwiftSyntaxMacros

/// Reports options of `@Attribute` that do not apply to the type.
struct OptionCheck {
    let property: StoredProperty
    let context: any MacroExpansionContext

    init(_ property: StoredProperty, _ context: any MacroExpansionContext) {
        self.property = property
        self.context = context
    }

    func check() {
        guard let arguments = property.attribute("Attribute")?.arguments?.as(LabeledExprListSyntax.self) else { return }
        for argument in arguments where argument.label == nil {
            guard let option = argument.expression.as(MemberAccessExprSyntax.self), let reason = reasonToReject(option)
            else {
                continue
            }
            let rest = LabeledExprListSyntax(arguments.filter { $0.id != argument.id }.withoutFinalComma)
            context.report(
                MacroDiagnostic(
                    id: "option", message: "'\(property.name)' cannot be \(option.trimmedDescription): \(reason)"),
                at: option, fixIts: [.replace("remove the option", arguments, with: rest)])
        }
    }

    private func reasonToReject(_ option: MemberAccessExprSyntax) -> String? {
        switch option.declName.baseName.text {
        case "unique" where isCollection: "values of collections cannot be unique"
        case "externalStorage" where isScalar: "only Data can be stored externally"
        default: nil
        }
    }

    private var written: TypeSyntax? {
        property.type?.as(OptionalTypeSyntax.self)?.wrappedType ?? property.type
    }

    private var isCollection: Bool {
        guard let written else { return false }
        return written.is(ArrayTypeSyntax.self) || written.is(DictionaryTypeSyntax.self)
            || ["Array", "Set", "Dictionary"].contains(written.as(IdentifierTypeSyntax.self)?.name.text ?? "")
    }

    private var isScalar: Bool {
        let scalars = [
            "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double",
            "Float", "Date", "UUID",
        ]
        return scalars.contains(written?.trimmedDescription ?? "")
    }
}

extension [LabeledExprListSyntax.Element] {
    fileprivate var withoutFinalComma: [Element] {
        guard let last else { return self }
        return dropLast() + [last.with(\.trailingComma, nil)]
    }
}
