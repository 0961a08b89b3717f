import Chronicle
import Foundation

/// The cost of reading and writing a property of a model in a context: the mean of a string, a date, an integer, and a
/// Bool, over a thousand fetched models.
enum PropertyRows {
    static var all: [Row] {
        [
            Row(name: "read a property, by hand", limit: .time(.nanoseconds(15)), runs: 101) { runs in
                try median(runs, Trip.init, read)
            },
            Row(name: "read a property, @Model", limit: .time(.nanoseconds(15)), runs: 101) { runs in
                try median(runs, MarkedTrip.init, read)
            },
            Row(name: "write a property, by hand", limit: .time(.nanoseconds(25)), runs: 101) { runs in
                try median(runs, Trip.init, write)
            },
            Row(name: "write a property, @Model", limit: .time(.nanoseconds(25)), runs: 101) { runs in
                try median(runs, MarkedTrip.init, write)
            },
        ]
    }

    private static let count = 1_000
    private static let dates = [SampleTrip.at(0).startDate, SampleTrip.at(1).startDate]

    /// - Parameter access: Reads or writes four properties of each model, and returns something that depends on them.
    private static func median<Model: PersistentModel>(
        _ runs: Int, _ make: (SampleTrip) -> Model, _ access: ([Model], Int) -> Int
    ) throws -> Row.Outcome {
        let container = try ModelContainer(
            for: Model.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let writer = ModelContext(container)
        for index in 0..<count { writer.insert(make(SampleTrip.at(index))) }
        try writer.save()
        let context = ModelContext(container)
        let models = try context.fetch(FetchDescriptor<Model>())
        // The first run marks the models as changed.
        var result = access(models, 0)
        let times = (1...max(runs, 1)).map { run in timed { result &+= access(models, run) } }
        precondition(result != 0, "nothing was accessed")
        return Row.Outcome(median: .time(times.median / (4 * count)))
    }

    private static func read(_ trips: [Trip], _ run: Int) -> Int {
        trips.reduce(run) { sum, trip in
            sum &+ trip.name.utf8.count &+ trip.nights &+ (trip.isBooked ? 1 : 0)
                &+ (trip.startDate > dates[0] ? 1 : 0)
        }
    }

    private static func read(_ trips: [MarkedTrip], _ run: Int) -> Int {
        trips.reduce(run) { sum, trip in
            sum &+ trip.name.utf8.count &+ trip.nights &+ (trip.isBooked ? 1 : 0)
                &+ (trip.startDate > dates[0] ? 1 : 0)
        }
    }

    private static func write(_ trips: [Trip], _ run: Int) -> Int {
        for trip in trips {
            trip.name = run.isMultiple(of: 2) ? "A weekend in Lisbon" : "A weekend in Madrid"
            trip.nights = run
            trip.isBooked = run.isMultiple(of: 2)
            trip.startDate = dates[run & 1]
        }
        return trips.count
    }

    private static func write(_ trips: [MarkedTrip], _ run: Int) -> Int {
        for trip in trips {
            trip.name = run.isMultiple(of: 2) ? "A weekend in Lisbon" : "A weekend in Madrid"
            trip.nights = run
            trip.isBooked = run.isMultiple(of: 2)
            trip.startDate = dates[run & 1]
        }
        return trips.count
    }
}
