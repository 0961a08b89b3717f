#if os(macOS) || os(Linux)
    import Dispatch
    import Foundation

    /// A worker's program at work.
    final class WorkerProcess {
        /// What it said of a save that had returned.
        struct Acknowledgement {
            let number: Int
            /// The current token as JSON; empty without a history.
            let token: Data
        }

        private let process = Process()
        private let output = Pipe()
        private let errors = Pipe()
        private var said = Data()
        /// Ends a worker that waits for ever, so that the rule does not.
        private let patience: DispatchWorkItem

        private static let secondsOfPatience = 60

        init(_ command: WorkerCommand) throws {
            process.executableURL = command.program
            process.arguments = command.arguments
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            let identifier = process.processIdentifier
            patience = DispatchWorkItem { Foundation.kill(identifier, SIGTERM) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.secondsOfPatience), execute: patience)
        }

        /// Waits until so many saves have returned.
        func wait(forSaves count: Int) throws {
            while said.count(where: { $0 == UInt8(ascii: "\n") }) < count {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw try ended() }
                said += data
            }
        }

        /// What there is to say of a worker that nobody killed.
        private func ended() throws -> ConformanceFailure {
            patience.cancel()
            process.waitUntilExit()
            let reason = process.terminationReason == .exit ? "exit code" : "signal"
            let text = try errors.fileHandleForReading.readToEnd() ?? Data()
            let said =
                text.isEmpty ? "without a word (does it call runStoreWorker?)" : String(decoding: text, as: UTF8.self)
            return ConformanceFailure(
                "the worker to save until it is killed, within \(Self.secondsOfPatience) seconds, and it ended with "
                    + "\(reason) \(process.terminationStatus): \(said)")
        }

        /// SIGKILL: the worker has no say in it.
        ///
        /// - Returns: All the saves that returned before.
        func kill() throws -> [Acknowledgement] {
            patience.cancel()
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            said += try output.fileHandleForReading.readToEnd() ?? Data()
            // What ends in the middle of a line was not said.
            let lines = said.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            return lines.compactMap { line in
                let words = String(decoding: line, as: UTF8.self).split(
                    separator: " ", omittingEmptySubsequences: false)
                guard words.count == 2, let number = Int(words[0]), let token = Data(base64Encoded: String(words[1]))
                else { return nil }
                return Acknowledgement(number: number, token: token)
            }
        }
    }
#endif
