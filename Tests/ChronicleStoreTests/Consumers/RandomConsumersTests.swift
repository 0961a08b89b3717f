import Chronicle
import ChronicleTestSupport
import Testing

/// Random operations on consumers, compared with a reference.
@Suite struct RandomConsumersTests {
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(4))
    func instancesDoNotBlockOthers(_ kind: StoreKind, _ number: Int) throws {
        let store = try TestStore(kind)
        var simulation = ConsumerSimulation(store.container, TestSeed.generator(number))
        try simulation.run(steps: 300)
    }
}
