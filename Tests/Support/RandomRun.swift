import Foundation

/// The options of a program that makes random choices for some time: `[--seconds N] [--seed S]`.
package struct RandomRunOptions {
    package struct UsageError: Error {
        package init() {}
    }

    package private(set) var seconds = 120.0
    package private(set) var seed = UInt64.random(in: 0..<1_000_000_000)

    package init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw UsageError() }
            // The Makefile may pass empty variables.
            if value.isEmpty { continue }
            switch option {
            case "--seconds": seconds = try Self.number(value)
            case "--seed": seed = try Self.number(value)
            default: throw UsageError()
            }
        }
    }

    private static func number<Number: LosslessStringConvertible>(_ text: String) throws -> Number {
        guard let number = Number(text) else { throw UsageError() }
        return number
    }
}

/// Processes that run the program itself in several roles, and that are killed and restarted.
package struct KilledProcesses<Role: Hashable> {
    /// A process ended that was not killed.
    package struct Ended: Error, CustomStringConvertible {
        package let description: String
    }

    private var processes: [Role: Process] = [:]
    private let name: (Role) -> String

    package init(_ name: @escaping (Role) -> String) { self.name = name }

    package mutating func start(_ role: Role, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        try process.start()
        processes[role] = process
    }

    package mutating func stop(_ role: Role) throws {
        guard let process = processes.removeValue(forKey: role) else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
            throw Ended(description: "\(name(role)) ended with \(process.terminationStatus)")
        }
    }

    package func requireRunning() throws {
        for (role, process) in processes where !process.isRunning {
            throw Ended(description: "\(name(role)) ended with \(process.terminationStatus)")
        }
    }

    /// Kills all processes without waiting for their end.
    package func killAll() {
        for process in processes.values { kill(process.processIdentifier, SIGKILL) }
    }
}
