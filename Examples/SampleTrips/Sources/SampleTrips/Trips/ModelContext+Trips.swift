import Chronicle
import Foundation

extension ModelContext {
    /// All trips, the earliest first.
    public func trips() throws -> [Trip] {
        try fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]))
    }

    /// The one trip with this name.
    ///
    /// - Parameter start: The day on which the trip starts, to choose between several trips with one name.
    public func trip(named name: String, starting start: Date?) throws -> Trip {
        let named = try fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name }))
        let found = start == nil ? named : named.filter { $0.startDate == start }
        guard let trip = found.first else { throw try unknownTrip(name, named) }
        guard found.count == 1 else {
            throw Failure("several trips are called “\(name)”. Say which with --start: \(days(found)).")
        }
        return trip
    }

    private func unknownTrip(_ name: String, _ named: [Trip]) throws -> Failure {
        if !named.isEmpty { return Failure("“\(name)” does not start on that day. There is one on \(days(named)).") }
        let names = Set(try trips().map(\.name)).sorted()
        guard !names.isEmpty else { return Failure("there is no trip called “\(name)”; there are none at all.") }
        let known = names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
        return Failure("there is no trip called “\(name)”. There are: \(known).")
    }

    private func days(_ trips: [Trip]) -> String {
        trips.map { Day.format($0.startDate) }.joined(separator: ", ")
    }
}
