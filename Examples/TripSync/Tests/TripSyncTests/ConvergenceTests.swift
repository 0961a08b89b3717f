import Chronicle
import Foundation
import Testing
import TripSyncTestSupport

@testable import TripSync

/// Random changes on three devices, with cut connections and killed processes. In the end, all stores are equal.
@Suite("Convergence") struct ConvergenceTests {
    /// In one process, so that a seed repeats the test exactly.
    @Test(arguments: HubKind.available) func devicesConverge(_ kind: HubKind) throws {
        var random = SeededGenerator(state: SeededGenerator.seed())
        let fixture = try SyncFixture(kind)
        let devices = try ["a", "b", "c"].map(fixture.device)
        for _ in 0..<120 {
            guard let device = devices.randomElement(using: &random) else { continue }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                try device.edit { try RandomEdits.save($0, author: device.name, &random) }
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                device.cut = SyncStep.allCases.randomElement(using: &random)
            }
            do { try device.session.synchronize() } catch is Device.Cut {}
        }
        for device in devices { device.cut = nil }
        for _ in 0..<2 {
            for device in devices { try device.session.synchronize() }
        }
        try expectConvergence(of: devices, fixture)
        #expect(try !fixture.conflicts().isEmpty)
    }

    /// Devices are replaced by backups, of which some were made during a synchronisation.
    @Test(arguments: HubKind.available) func restoredDevicesConverge(_ kind: HubKind) throws {
        var random = SeededGenerator(state: SeededGenerator.seed())
        let fixture = try SyncFixture(kind)
        var devices = try ["a", "b", "c"].map(fixture.device)
        var backups = try devices.map { [try fixture.backUp($0)] }
        for _ in 0..<80 {
            let index = Int.random(in: devices.indices, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: backups[index].append(try fixture.backUp(devices[index]))
            case 1:
                guard let backup = backups[index].randomElement(using: &random) else { continue }
                devices[index] = try fixture.restore(devices[index].name, from: backup)
            default: break
            }
            let device = devices[index]
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                try device.edit { try RandomEdits.save($0, author: device.name, &random) }
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                device.cut = SyncStep.allCases.randomElement(using: &random)
            }
            do { try device.session.synchronize() } catch is Device.Cut {}
        }
        for device in devices { device.cut = nil }
        for _ in 0..<2 {
            for device in devices { try device.session.synchronize() }
        }
        try expectConvergence(of: devices, fixture)
    }

    /// The hub is replaced by backups. In the end, all stores are equal.
    @Test func restoredHubsConverge() throws {
        var random = SeededGenerator(state: SeededGenerator.seed())
        let fixture = try SyncFixture()
        var hub = fixture.hub
        var backups = [try fixture.backUp(path: fixture.hubPath)]
        var path = fixture.hubPath
        var devices = try ["a", "b", "c"].map(fixture.device)
        for _ in 0..<80 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: backups.append(try fixture.backUp(path: path))
            case 2:
                guard let backup = backups.randomElement(using: &random) else { continue }
                path = try fixture.backUp(path: backup.path).path
                hub = try Stores.hub(at: path)
                devices = try devices.map { try Device($0.name, at: $0.url, hub: hub) }
            default: break
            }
            guard let device = devices.randomElement(using: &random) else { continue }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                try device.edit { try RandomEdits.save($0, author: device.name, &random) }
            }
            try device.session.synchronize()
        }
        for _ in 0..<3 {
            for device in devices { try device.session.synchronize() }
        }
        let content = try Content(ModelContext(hub))
        #expect(content.count > 0)
        for device in devices { #expect(try device.content() == content, "\(device.name)") }
    }

    /// Expects equal stores, and that the hub received each change of a device, or recorded a conflict.
    private func expectConvergence(of devices: [Device], _ fixture: SyncFixture) throws {
        let content = try fixture.hubContent()
        #expect(content.count > 0)
        for device in devices { #expect(try device.content() == content, "\(device.name)") }
        let received = try Set(changes(of: fixture.hub) { _ in true })
        let conflicts = try fixture.conflicts()
        for device in devices {
            for change in try changes(of: device.container, where: { $0.author == device.name }) {
                let isConflict = conflicts.contains { conflict in
                    conflict.uuid == change.uuid && conflict.device == device.name
                        && (conflict.propertyName == nil
                            || conflict.propertyName == change.name && conflict.deviceValue == "\(change.value)")
                }
                #expect(received.contains(change) || isConflict, "\(device.name) lost \(change)")
            }
        }
    }

    private struct Change: Hashable {
        let uuid: UUID
        let name: String
        let value: SyncedValue
    }

    /// Returns the values that the history of a store contains.
    private func changes(
        of container: ModelContainer, where isIncluded: (DefaultHistoryTransaction) -> Bool
    ) throws -> [Change] {
        let context = ModelContext(container)
        var reader = ChangeReader(context)
        let history: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor())
        return try history.filter(isIncluded).flatMap { try reader.changes($0.changes) }.flatMap { change in
            // References to trips that were deleted since have no value on the hub.
            change.values.filter { $0.name != "trip" }
                .map { Change(uuid: change.uuid, name: $0.name, value: $0.value) }
        }
    }

    /// Three processes that are killed at random, for the seconds in `TRIP_SYNC_SECONDS`.
    @Test(arguments: HubKind.available) func processesConverge(_ kind: HubKind) throws {
        let seconds = ProcessInfo.processInfo.environment["TRIP_SYNC_SECONDS"].flatMap(Double.init) ?? 10
        var random = SeededGenerator(state: SeededGenerator.seed())
        let fixture = try SyncFixture(kind)
        let names = ["a", "b", "c"]
        let end = Date(timeIntervalSinceNow: seconds)
        var (kills, exits) = (0, 0)
        while Date() < end {
            let workers = try names.map { name in
                try SyncWorker(fixture, name, seed: random.next(), rounds: Int.random(in: 1...8, using: &random))
            }
            // One of them is killed after some of its rounds, if it did not end before.
            if let worker = workers.randomElement(using: &random) {
                worker.kill(after: Int.random(in: 0...8, using: &random))
            }
            for worker in workers {
                switch try worker.end() {
                case .killed: kills += 1
                case .finished: exits += 1
                }
            }
        }
        print("\(kills) processes were killed, \(exits) ended")
        #expect(kills > 0)
        let devices = try names.map(fixture.device)
        for _ in 0..<2 {
            for device in devices { try device.session.synchronize() }
        }
        try expectConvergence(of: devices, fixture)
    }
}

/// A process with a device.
final class SyncWorker {
    enum End {
        case killed
        case finished
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    init(_ fixture: SyncFixture, _ name: String, seed: UInt64, rounds: Int) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "TripSyncWorker")
        process.arguments = [
            fixture.directory.appending(path: "\(name).store").path, name, fixture.hubPath, "\(seed)", "\(rounds)",
        ]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Kills the process after it has written a number of bytes, one for each round.
    func kill(after count: Int) {
        for _ in 0..<count where output.fileHandleForReading.readData(ofLength: 1).isEmpty { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    func end() throws -> End {
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL { return .killed }
        guard process.terminationStatus == 0 else { throw Failure(description: text) }
        return .finished
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
