import Foundation
import Testing

/// Sources for systems that the tests do not run on. `.ci/darwin` compiles those for Apple systems.
@Suite("Conditions for other systems")
struct PlatformTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the lines of the sources in a folder with imports and conditions, by path.
    private static func lines(in folder: String) throws -> [String: [String]] {
        let files = try #require(
            FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
        var found: [String: [String]] = [:]
        for case let file as URL in files {
            if [".build", "Generated"].contains(file.lastPathComponent) { files.skipDescendants() }
            guard file.pathExtension == "swift" else { continue }
            found[file.path] = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.hasPrefix("#") || $0.contains("import ") && !$0.hasPrefix("//") }
        }
        return found
    }

    /// Static programs for Linux use Musl, and Android has its own library. What exists for Glibc exists for both.
    @Test(arguments: ["Sources", "Tests", "Examples", "Benchmarks"])
    func everyLibraryOfLinuxIsConsidered(_ folder: String) throws {
        for (path, lines) in try Self.lines(in: folder) {
            func imports(of module: String) -> [String] {
                lines.filter { $0.hasSuffix("import \(module)") }.map { String($0.dropLast(module.count)) }
            }
            for module in ["Musl", "Android"] {
                #expect(imports(of: module) == imports(of: "Glibc"), "\(path) imports Glibc, but not \(module)")
            }
            for line in lines where line.hasPrefix("#") && line.contains("canImport(Musl)") && line.contains("||") {
                #expect(line.contains("canImport(Glibc)") && line.contains("canImport(Android)"), "\(path): \(line)")
            }
        }
    }
}
