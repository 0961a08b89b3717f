import Foundation
import PackagePlugin

/// Provides a target with the sources of `Trips`, with `import Chronicle` in place of `import SwiftData`.
@main
struct ChangeImport: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let original = try context.package.targets(named: ["Trips"]).first as? any SourceModuleTarget else {
            return []
        }
        return original.sourceFiles(withSuffix: "swift").map { file in
            let output = context.pluginWorkDirectoryURL.appendingPathComponent(file.url.lastPathComponent)
            return .buildCommand(
                displayName: "Changing the import of \(file.url.lastPathComponent)",
                executable: URL(fileURLWithPath: "/bin/sh"),
                arguments: [
                    "-c", "sed 's/^import SwiftData$/import Chronicle/' \"$1\" > \"$2\"", "sh", file.url.path,
                    output.path,
                ],
                inputFiles: [file.url], outputFiles: [output])
        }
    }
}
