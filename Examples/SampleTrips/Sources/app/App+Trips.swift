import Chronicle
import Foundation
import SampleTrips

extension App {
    static func list(_ arguments: inout Arguments) throws {
        try arguments.end()
        let session = try Session<Transaction>(arguments)
        let unread = try session.catchUp()
        show(TripList().lines(try session.context.trips(), unread))
    }

    static func view(_ arguments: inout Arguments) throws {
        let (name, start) = try tripArguments(&arguments)
        let session = try Session<Transaction>(arguments)
        var unread = try session.catchUp()
        let trip = try session.context.trip(named: name, starting: start)
        show(TripList().details(trip, isUnread: unread.contains(trip.persistentModelID)))
        unread.remove(trip.persistentModelID)
        try session.keeper.save(unread)
    }

    static func add(_ arguments: inout Arguments) throws {
        let name = try arguments.next("a NAME, a DESTINATION, a START and an END")
        let destination = try arguments.next("a DESTINATION, a START and an END")
        let start = try Day.parse(arguments.next("a START and an END"))
        let end = try Day.parse(arguments.next("an END"))
        try arguments.end()
        guard start <= end else { throw UsageError("a trip cannot end before it starts") }
        let context = try Session<Transaction>(arguments, creating: true).context
        // A second trip with these values is a mistake of the user, and must not replace the first one.
        context.mergePolicy = .error
        context.insert(Trip(name: name, destination: destination, startDate: start, endDate: end))
        do { try context.save() } catch SwiftDataError.uniquenessViolation {
            throw Failure("there is a trip called “\(name)” on these days already.")
        }
        show("Added \(name), \(Day.format(start, end)).")
    }

    static func delete(_ arguments: inout Arguments) throws {
        let (name, start) = try tripArguments(&arguments)
        let session = try Session<Transaction>(arguments)
        let trip = try session.context.trip(named: name, starting: start)
        let identifier = trip.persistentModelID
        session.context.delete(trip)
        try session.context.save()
        var unread = try session.keeper.load()
        unread.remove(identifier)
        try session.keeper.save(unread)
        show("Deleted \(name).")
    }

    static func seed(_ arguments: inout Arguments) throws {
        try arguments.end()
        let context = try Session<Transaction>(arguments, creating: true).context
        guard try context.fetchCount(FetchDescriptor<Trip>()) == 0 else {
            throw Failure("there are trips already. `app reset` deletes them.")
        }
        try SampleData.insert(into: context)
        try context.save()
        show("Made \(try context.fetchCount(FetchDescriptor<Trip>())) trips. See them with `app list`.")
    }

    static func reset(_ arguments: inout Arguments) throws {
        try arguments.end()
        let session = try Session<Transaction>(arguments)
        let trips = try session.context.trips()
        trips.forEach(session.context.delete)
        try session.context.save()
        try session.keeper.forget()
        show("Deleted \(trips.count) trips. The history remembers them until `app prune --all`.")
    }

    private static func tripArguments(_ arguments: inout Arguments) throws -> (name: String, start: Date?) {
        let name = try arguments.next("the NAME of a trip")
        let start = try arguments.start()
        try arguments.end()
        return (name, start)
    }
}
