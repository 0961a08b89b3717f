import ChronicleTestSupport
import Foundation

extension TemporaryDirectory {
    /// A place for a new file.
    func file() -> URL { file("\(UUID().uuidString).store") }
}
