import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

#if DEBUG
    /// Two threads that use a context at the same time end the program; threads that take turns do not.
    @Suite("Use of a context by several threads")
    struct ContextAccessTests {
        /// Runs a closure on a thread, and waits until it has returned.
        private static func run(_ body: @escaping @Sendable () -> Void) {
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                body()
                isDone.signal()
            }
            isDone.wait()
        }

        /// Saves on one thread and calls a closure on another one during the save.
        private static func duringSave(_ body: @escaping @Sendable (ModelContext, Trip) -> Void) throws {
            let script = ScriptedStore.Script()
            let container = try ModelContainer(
                for: Schema([Trip.self]), configurations: [ScriptedStore.Configuration(script: script)])
            // The closures run one after the other, except where the test wants otherwise.
            nonisolated(unsafe) let context = ModelContext(container)
            nonisolated(unsafe) let trip = Trip(name: "a", destination: "b")
            script.change {
                $0.save = { _, result in
                    run { body(context, trip) }
                    return result
                }
            }
            run {
                context.insert(trip)
                try? context.save()
            }
        }

        private static func expectMessage(_ result: ExitTest.Result?) {
            let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(output.contains(/A ModelContext was used by the thread .+ while the thread .+ was using it/))
        }

        @Test func fetchingDuringASaveTraps() async {
            Self.expectMessage(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    try Self.duringSave { context, _ in _ = try? context.fetch(FetchDescriptor<Trip>()) }
                })
        }

        @Test func insertingDuringASaveTraps() async {
            Self.expectMessage(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    try Self.duringSave { context, _ in context.insert(Trip(name: "c", destination: "d")) }
                })
        }

        @Test func threadsMayTakeTurns() throws {
            let store = try TestStore(.inMemory)
            nonisolated(unsafe) let context = store.context()
            nonisolated(unsafe) let trip = Trip(name: "a", destination: "b")
            Self.run { context.insert(trip) }
            Self.run { trip.name = "c" }
            Self.run { try? context.save() }
            #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["c"])
        }
    }
#endif
