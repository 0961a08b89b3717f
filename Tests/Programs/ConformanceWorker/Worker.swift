import Chronicle
import ChronicleConformance
import Foundation

/// The process that the rules kill. It uses the default store, or one with a fault.
@main
struct Worker {
    static func main() throws {
        if CommandLine.arguments.contains(where: FaultyFileStore.Configuration.isPlace) {
            try runStoreWorker { place in try FaultyFileStore.Configuration(place: place) }
        } else {
            try runStoreWorker { path in ModelConfiguration(url: URL(fileURLWithPath: path), durability: .relaxed) }
        }
    }
}
