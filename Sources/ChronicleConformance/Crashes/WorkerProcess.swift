#if os(macOS) || os(Linux)
    import Dispatch
    import Foundation

    final class WorkerProcess {
        struct Acknowledgment {
            let number: Int
            /// JSON; empty for stores without a history.
            let token: Data
        }

        private let process = Process()
        private let output = Pipe()
        private let errors = Pipe()
        private var received = Data()
        /// A rule must not wait forever.
        private let timeout: DispatchWorkItem

        private static let timeoutSeconds = 60

        init(_ command: WorkerCommand) throws {
            process.executableURL = command.program
            process.arguments = command.arguments
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            let identifier = process.processIdentifier
            timeout = DispatchWorkItem { Foundation.kill(identifier, SIGTERM) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.timeoutSeconds), execute: timeout)
        }

        func wait(forSaves count: Int) throws {
            while received.count(where: { $0 == UInt8(ascii: "\n") }) < count {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw try ended() }
                received += data
            }
        }

        private func ended() throws -> ConformanceFailure {
            timeout.cancel()
            process.waitUntilExit()
            let reason = process.terminationReason == .exit ? "exit code" : "signal"
            let text = try errors.fileHandleForReading.readToEnd() ?? Data()
            let message =
                text.isEmpty ? "no error message (does it call runStoreWorker?)" : String(decoding: text, as: UTF8.self)
            return ConformanceFailure(
                "the worker to save until it is killed, within \(Self.timeoutSeconds) seconds, found that it ended with "
                    + "\(reason) \(process.terminationStatus): \(message)")
        }

        /// The worker cannot handle SIGKILL. Returns all saves that were acknowledged before.
        func kill() throws -> [Acknowledgment] {
            timeout.cancel()
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            received += try output.fileHandleForReading.readToEnd() ?? Data()
            // The last piece is empty or an incomplete line, which is not an acknowledgment.
            let lines = received.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            return lines.compactMap { line in
                let words = String(decoding: line, as: UTF8.self).split(
                    separator: " ", omittingEmptySubsequences: false)
                guard words.count == 2, let number = Int(words[0]), let token = Data(base64Encoded: String(words[1]))
                else { return nil }
                return Acknowledgment(number: number, token: token)
            }
        }
    }
#endif
