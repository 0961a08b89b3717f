import ChronicleTestSupport
import Foundation

extension TemporaryDirectory {
    func path(_ name: String = "store.sqlite") -> String { file(name).path }

    func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: file(name)) }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }
}
