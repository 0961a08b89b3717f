import Chronicle
import ChronicleFaultShim
import ChronicleTestSupport
import Foundation

/// Interrupts operations of a store, and checks that no acknowledged change is lost and that the store remains valid.
///
///     ChronicleFaults [--seconds N] [--seed S] [--limit N] [--operations A,B] [--workers N] [--totals FILE]
///     ChronicleFaults --case CASE          repeats a case that a run printed, and keeps the files
///
/// Three kinds of faults interrupt each operation of ``Operation/all``:
///
/// - **A power failure.** The program records the calls that write, truncate, synchronize, create and remove files, and makes
///   images of the files that a disk could contain afterwards; see ``PowerFailure``.
/// - **A call that fails**: the first one of a kind, the second one, and so on; see ``FailingCall``.
/// - **SIGKILL** within a call that changes a file.
///
/// After each of them, ``Check`` opens the store. Each case runs in its own process, which is a copy of one that has the
/// store's files in memory, so that a crash or a hang ends only this case.
///
/// To test another store, copy this folder into a package that depends on Chronicle, and add operations whose store conforms
/// to ``StoreUnderTest`` to ``Operation/all``. The store may access its files in any way.
@main
enum Faults {
    struct UsageError: Error {}

    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            guard fault_install() != 0 else {
                say("faults: the calls of the system can only be intercepted on Linux")
                exit(1)
            }
            exit(try Campaign(options).run() ? 0 : 1)
        } catch is UsageError {
            say(
                "usage: ChronicleFaults [--seconds N] [--seed S] [--limit N] [--operations A,B] [--workers N] "
                    + "[--totals FILE] [--case CASE]\noperations: \(Operation.all.map(\.name).joined(separator: ","))")
            exit(64)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// The command-line options.
struct Options {
    private(set) var seconds = 120.0
    private(set) var seed = UInt64.random(in: 0..<1_000_000_000)
    /// The largest number of images of one recording; of failing calls and kills, there are fewer. Others are skipped at
    /// random. Zero is no limit.
    private(set) var limit = 100
    private(set) var operations = Operation.all
    private(set) var workers = ProcessInfo.processInfo.activeProcessorCount
    /// The file to which the numbers are added, to sum up several runs.
    private(set) var totals: String?
    private(set) var repeatedCase: Case?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Faults.UsageError() }
            // The Makefile may pass empty variables.
            if value.isEmpty { continue }
            switch option {
            case "--seconds": seconds = try Self.number(value)
            case "--seed": seed = try Self.number(value)
            case "--limit": limit = try Self.number(value)
            case "--workers": workers = max(try Self.number(value), 1)
            case "--totals": totals = value
            case "--operations":
                operations = try value.split(separator: ",").map { name in
                    guard let operation = Operation.all.first(where: { $0.name == name }) else {
                        throw Faults.UsageError()
                    }
                    return operation
                }
            case "--case":
                guard let repeated = Case(value) else { throw Faults.UsageError() }
                repeatedCase = repeated
            default: throw Faults.UsageError()
            }
        }
    }

    private static func number<Number: LosslessStringConvertible>(_ text: String) throws -> Number {
        guard let number = Number(text) else { throw Faults.UsageError() }
        return number
    }
}

/// One interruption of an operation, which can be repeated: SEED/ROUND/OPERATION/FAULT/NUMBER.
struct Case: CustomStringConvertible {
    var seed: UInt64
    var round: Int
    var operation: String
    /// `power`, `kill`, or the name of a ``FailingCall``.
    var fault: String
    /// The number of the image or the call.
    var number: Int

    init(seed: UInt64, round: Int, operation: String, fault: String = "", number: Int = 0) {
        (self.seed, self.round, self.operation, self.fault, self.number) = (seed, round, operation, fault, number)
    }

    init?(_ text: String) {
        let parts = text.split(separator: "/").map(String.init)
        guard parts.count == 5, let seed = UInt64(parts[0]), let round = Int(parts[1]), let number = Int(parts[4]),
            Operation.all.contains(where: { $0.name == parts[2] })
        else { return nil }
        self.init(seed: seed, round: round, operation: parts[2], fault: parts[3], number: number)
    }

    func with(_ fault: String, _ number: Int) -> Case {
        Case(seed: seed, round: round, operation: operation, fault: fault, number: number)
    }

    /// The random numbers of all cases of an operation in a round.
    var random: SplitMix {
        let text = Array("\(round)/\(operation)".utf8)
        return SplitMix(state: fault_hash(text, Int64(text.count), seed))
    }

    var description: String { "\(seed)/\(round)/\(operation)/\(fault)/\(number)" }
}
