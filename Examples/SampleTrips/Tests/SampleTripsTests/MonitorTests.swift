import Foundation
import SampleTrips
import Testing

/// Three processes, each of which adds trips and monitors the others.
@Suite struct MonitorTests {
    @Test(arguments: StoreKind.files)
    func membersReceiveTheChangesOfAllOthers(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        let authors = ["anna", "ben", "cleo"]
        let members = try authors.map { try MonitorProcess($0, trips.store) }
        for (author, member) in zip(authors, members) {
            let path = trips.store.url.lastPathComponent
            #expect(try member.readLine() == "Monitoring \(path) as \(author).")
        }
        for round in 1...3 {
            for (author, member) in zip(authors, members) { try member.write("\(author)'s trip \(round)") }
            // Each change once, and none of the member itself.
            let received = try members.map { [try $0.readLine(), try $0.readLine()] }
            for (author, lines) in zip(authors, received) {
                let others = authors.filter { $0 != author }
                #expect(lines.sorted() == others.map { "\($0) added \($0)'s trip \(round)" })
            }
        }
        try trips.change(in: trips.stranger) { $0.name = "Lazio" }
        for member in members { #expect(try member.readLine() == "somebody changed Lazio") }
        for member in members { #expect(try member.finish() == "") }
        #expect(try trips.app.trips().count == 10)
    }
}

/// The program `monitor`, running.
private final class MonitorProcess {
    struct Failure: Error {
        let text: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer = Data()

    init(_ author: String, _ store: TripStore) throws {
        // The program is in the same directory as the test bundle, because the test target depends on it.
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "monitor")
        process.arguments = [author, "--store", store.url.path]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    func write(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Waits for the next line of the output.
    func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer = Data(buffer[buffer.index(after: end)...]) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(text: "ended: \(String(decoding: buffer, as: UTF8.self))") }
            buffer += data
        }
    }

    /// Ends the input, waits for the process to exit, and returns the rest of the output.
    func finish() throws -> String {
        try input.fileHandleForWriting.close()
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: "exit code \(process.terminationStatus)") }
        return String(decoding: buffer + rest, as: UTF8.self)
    }
}
