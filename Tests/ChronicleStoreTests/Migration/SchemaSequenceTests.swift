import Chronicle
import ChronicleTestSupport
import Testing

/// Programs that share a file, change their models independently of each other, and return to earlier versions.
///
/// `CHRONICLE_SCHEMA_SEQUENCES=20000` runs more sequences than usual, and `CHRONICLE_SCHEMA_SEQUENCES=139-139` the one with
/// this number. Each number is a seed, unless there is one in `CHRONICLE_TEST_SEED`.
@Suite struct SchemaSequenceTests {
    @Test(arguments: SchemaSequenceNumbers.value(8)) func contentIsKeptOrTheVersionIsRejected(_ number: Int) throws {
        do {
            _ = try SchemaSequence<SharedFile>.run(using: SchemaSequenceNumbers.generator(number)) {
                SharedFile(
                    file: try TemporaryDirectory().file("sequence.store"),
                    recorder: number % 2 == 0 ? .automatic : .triggers)
            }
        } catch let failure as SchemaSequence<SharedFile>.Failure {
            Issue.record("\(failure)\n\(SchemaSequenceNumbers.description(number))")
        }
    }

    @Test(arguments: SchemaScenario.all) func scenarios(_ scenario: SchemaScenario) throws {
        let store = SharedFile(file: try TemporaryDirectory().file("scenario.store"), recorder: .automatic)
        let differences = try scenario.differences(in: store)
        #expect(differences == [])
    }
}
