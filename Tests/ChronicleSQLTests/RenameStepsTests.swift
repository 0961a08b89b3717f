import ChronicleSQLStore
import Testing

/// The order of renames, in which each new name is free.
@Suite struct RenameStepsTests {
    private func steps(_ renames: [Rename], in names: Set<String>) -> [Rename] {
        renames.steps(in: names, fold: { $0.lowercased() }) { "temporary\($0)" }
    }

    @Test func chainBeginsAtItsEnd() {
        let renames = [Rename("a", to: "b"), Rename("b", to: "c")]
        #expect(steps(renames, in: ["a", "b"]) == [Rename("b", to: "c"), Rename("a", to: "b")])
        #expect(steps(renames.reversed(), in: ["a", "b"]) == [Rename("b", to: "c"), Rename("a", to: "b")])
        #expect(!renames.containsCycle)
    }

    @Test func cycleHasATemporaryName() {
        let renames = [Rename("a", to: "b"), Rename("b", to: "a")]
        #expect(renames.containsCycle)
        #expect(
            steps(renames, in: ["a", "b"]) == [
                Rename("a", to: "temporary0"), Rename("b", to: "a"), Rename("temporary0", to: "b"),
            ])
    }

    @Test func caseOfANameHasATemporaryName() {
        #expect(
            steps([Rename("name", to: "Name")], in: ["name"]) == [
                Rename("name", to: "temporary0"), Rename("temporary0", to: "Name"),
            ])
    }

    /// A name that never becomes free ends the search.
    @Test func usedNameEndsTheSearch() {
        #expect(steps([Rename("a", to: "b")], in: ["a", "b"]).count <= 2)
    }
}
