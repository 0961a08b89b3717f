import Chronicle
import Foundation
import TripSyncTestSupport

@testable import TripSync

/// A device that makes random changes and synchronises them: `TripSyncWorker DEVICE NAME HUB SEED ROUNDS`.
///
/// Its connection is cut at random, and sometimes it kills itself, before and after commits.
@main
enum Worker {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let seed = UInt64(arguments[4]), let rounds = Int(arguments[5]) else { exit(64) }
        var random = SeededGenerator(state: seed)
        let device = try Stores.device(at: URL(fileURLWithPath: arguments[1]))
        let hub = try Stores.hub(at: arguments[3])
        let faults = Faults(random: SeededGenerator(state: seed &+ 1))
        let session = try SyncSession(device: device, named: arguments[2], hub: hub, rule: nil) { try faults.pass($0) }
        for _ in 0..<rounds {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                try RandomEdits.save(ModelContext(device), author: arguments[2], &random)
            }
            do {
                try session.synchronize()
            } catch is NetworkCut {
                // The next round continues.
            }
            FileHandle.standardOutput.write(Data(".".utf8))
        }
    }
}

struct NetworkCut: Error {}

/// Ends the process, or the connection, at random steps.
private final class Faults {
    private var random: SeededGenerator

    init(random: SeededGenerator) { self.random = random }

    func pass(_ step: SyncStep) throws {
        switch Int.random(in: 0..<60, using: &random) {
        case 0: kill(getpid(), SIGKILL)
        case 1, 2, 3: throw NetworkCut()
        default: break
        }
    }
}
