import SwiftSyntaxMacros

/// The macros by the names of their types.
enum Macros {
    static var all: [any Macro.Type] {
        [
            ModelMacro.self, ModelInitializerMacro.self, TransientMacro.self, UniqueMacro.self, IndexMacro.self,
            ModelActorMacro.self,
        ]
    }
}

// The SwiftSyntax of a toolchain lacks the module for compiler plug-ins, but contains the modules that it is based on.
#if canImport(SwiftCompilerPlugin)
    import SwiftCompilerPlugin

    @main
    struct Plugin: CompilerPlugin {
        var providingMacros: [any Macro.Type] { Macros.all }
    }
#else
    @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

    @main
    struct Plugin: PluginProvider {
        static func main() throws {
            try CompilerPluginMessageListener(connection: StandardIOMessageConnection(), provider: Plugin()).main()
        }

        func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
            guard let macro = Macros.all.first(where: { String(describing: $0) == typeName }) else {
                throw UnknownMacro(name: "\(moduleName).\(typeName)")
            }
            return macro
        }
    }

    struct UnknownMacro: Error, CustomStringConvertible {
        let name: String
        var description: String { "the macro plug-in of Chronicle does not implement \(name)" }
    }
#endif
