import ChronicleTestSupport
import Foundation

extension TemporaryDirectory {
    /// Returns the URL of a new file.
    func file() -> URL { file("\(UUID().uuidString).store") }
}
