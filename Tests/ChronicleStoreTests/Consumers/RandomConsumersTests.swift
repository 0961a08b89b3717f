import Chronicle
import ChronicleTestSupport
import Testing

/// Random operations on consumers, compared with a reference.
@Suite struct RandomConsumersTests {
    @Test(arguments: StoreKind.allCases, 0..<12)
    func instancesDoNotBlockOthers(_ kind: StoreKind, _ number: Int) throws {
        let store = try TestStore(kind)
        var simulation = ConsumerSimulation(store.container, TestSeed.generator(number))
        try simulation.run(steps: 300)
    }
}
