import Chronicle
import ChronicleTestSupport
import Testing

/// Programs that share a file, change their models independently of each other, and return to earlier versions.
///
/// `CHRONICLE_SCHEMA_SEQUENCES=20000` runs more sequences than usual. Each number is a seed. A few of a hundred
/// further sequences fail, most of them with a stage in which a version lacks a class.
@Suite struct SchemaSequenceTests {
    @Test(arguments: 0..<SchemaSequenceCount.value(8)) func contentIsKeptOrTheVersionIsRejected(_ number: Int) throws {
        do {
            _ = try SchemaSequence<SharedFile>.run(using: SplitMix(state: UInt64(number))) {
                SharedFile(
                    file: try TemporaryDirectory().file("sequence.store"),
                    recorder: number % 2 == 0 ? .automatic : .triggers)
            }
        } catch let failure as SchemaSequence<SharedFile>.Failure {
            Issue.record("\(failure)\nnumber \(number)")
        }
    }
}
