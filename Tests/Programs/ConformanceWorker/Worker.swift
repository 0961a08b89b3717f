import Chronicle
import ChronicleConformance
import Foundation

/// The process that the rules kill: it works on the default store, or on one with a fault.
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
