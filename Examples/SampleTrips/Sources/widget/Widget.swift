import Chronicle
import Foundation
import SampleTrips

/// The widget: a separate process on the app's store, which sets an author for its changes.
@main
enum Widget {
    @MainActor
    static func main() async {
        await Program("widget", usage: usage).run { arguments in
            switch arguments.command {
            case "list": try list(&arguments)
            case "confirm": try confirm(&arguments)
            case "cancel": try cancel(&arguments)
            case "book": try book(&arguments)
            case let other: throw UsageError("there is no command “\(other)”")
            }
        }
    }

    static let usage = """
        usage: widget COMMAND [ARGUMENTS] [--store PATH]

          list                the accommodations
          confirm NAME        confirms the accommodation of a trip
          cancel NAME         deletes the accommodation of a trip
          book NAME PLACE     an accommodation for a trip that has none

          --start DAY    the trip that starts then, when several have one name
          --store PATH   the store's file, a journal if its name ends with .journal,
                         a database like postgresql://host/name, by default
                         \(TripStore.standard.url.path)
        """

    static func list(_ arguments: inout Arguments) throws {
        try arguments.end()
        let trips = try open(arguments).trips()
        var table = Table()
        for trip in trips {
            guard let accommodation = trip.livingAccommodation else { continue }
            table.add(
                .init(trip.name, Style.output.bold), .init(accommodation.placeName),
                accommodation.isConfirmed ? .init("confirmed", Style.output.green) : .init("not confirmed"))
        }
        show(table.lines)
    }

    static func confirm(_ arguments: inout Arguments) throws {
        let (trip, accommodation, context) = try accommodation(&arguments)
        guard !accommodation.isConfirmed else {
            return show("\(accommodation.placeName) in \(trip.name) is confirmed already.")
        }
        accommodation.isConfirmed = true
        try context.save()
        show("Confirmed \(accommodation.placeName) in \(trip.name).")
    }

    static func cancel(_ arguments: inout Arguments) throws {
        let (trip, accommodation, context) = try accommodation(&arguments)
        let placeName = accommodation.placeName
        context.delete(accommodation)
        try context.save()
        show("Cancelled \(placeName) in \(trip.name).")
    }

    static func book(_ arguments: inout Arguments) throws {
        let name = try arguments.next("the NAME of a trip and a PLACE")
        let place = try arguments.next("a PLACE")
        let start = try arguments.start()
        try arguments.end()
        let context = try open(arguments)
        let trip = try context.trip(named: name, starting: start)
        if let accommodation = trip.livingAccommodation {
            throw Failure("\(trip.name) has \(accommodation.placeName). `widget cancel` it first.")
        }
        trip.livingAccommodation = LivingAccommodation(placeName: place)
        try context.save()
        show("Booked \(place) in \(trip.name).")
    }

    private static func open(_ arguments: Arguments) throws -> ModelContext {
        try arguments.store.open(author: TripStore.Author.widget)
    }

    /// The accommodation of the trip in the command line.
    private static func accommodation(
        _ arguments: inout Arguments
    ) throws -> (Trip, LivingAccommodation, ModelContext) {
        let name = try arguments.next("the NAME of a trip")
        let start = try arguments.start()
        try arguments.end()
        let context = try open(arguments)
        let trip = try context.trip(named: name, starting: start)
        guard let accommodation = trip.livingAccommodation else {
            throw Failure("\(trip.name) has nowhere to stay yet. `widget book` a place first.")
        }
        return (trip, accommodation, context)
    }
}
