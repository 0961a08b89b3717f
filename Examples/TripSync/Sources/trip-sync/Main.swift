import Chronicle
import Foundation
import TripSync

/// A device, as a command-line program.
@main
enum Main {
    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        do {
            guard words.count >= 2 else { throw Usage() }
            let (path, command) = (words.removeFirst(), words.removeFirst())
            let device = try Stores.device(at: URL(fileURLWithPath: path))
            switch (command, words.count) {
            case ("list", 0): try list(device)
            case ("add", 2): try edit(device) { $0.insert(Trip(name: words[0], destination: words[1])) }
            case ("rename", 2): try edit(device) { try trip(words[0], $0).name = words[1] }
            case ("todo", 2):
                try edit(device) { try trip(words[0], $0).bucketList.append(BucketListItem(title: words[1])) }
            case ("delete", 1): try edit(device) { $0.delete(try trip(words[0], $0)) }
            case ("sync", 1): try synchronize(device, name: name(of: path), hub: words[0])
            case ("conflicts", 1): try conflicts(words[0])
            default: throw Usage()
            }
        } catch {
            FileHandle.standardError.write(Data("trip-sync: \(error)\n".utf8))
            exit(error is Usage ? 2 : 1)
        }
    }

    private static func name(of path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    private static func trip(_ name: String, _ context: ModelContext) throws -> Trip {
        let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name }))
        guard let trip = trips.first else { throw Failure(description: "there is no trip “\(name)”") }
        return trip
    }

    private static func edit(_ device: ModelContainer, _ change: (ModelContext) throws -> Void) throws {
        let context = ModelContext(device)
        context.author = "trip-sync"
        try change(context)
        try context.save()
    }

    private static func list(_ device: ModelContainer) throws {
        let context = ModelContext(device)
        for trip in try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])) {
            print("\(trip.name), \(trip.destination)")
            for item in trip.bucketList.sorted(by: { $0.title < $1.title }) {
                print("  [\(item.isDone ? "x" : " ")] \(item.title)")
            }
        }
    }

    private static func synchronize(_ device: ModelContainer, name: String, hub: String) throws {
        let session = try SyncSession(device: device, named: name, hub: Stores.hub(at: hub))
        let summary = try session.synchronize()
        print("sent \(summary.sent), received \(summary.received)")
    }

    private static func conflicts(_ hub: String) throws {
        let context = ModelContext(try Stores.hub(at: hub))
        for record in try context.fetch(FetchDescriptor<ConflictRecord>()) {
            let property = record.propertyName.map { ".\($0)" } ?? ""
            print(
                "\(record.entityName)\(property): hub \(record.hubValue), \(record.device) \(record.deviceValue), "
                    + "result \(record.result)")
        }
    }

    private struct Usage: Error, CustomStringConvertible {
        let description = """
            usage: trip-sync DEVICE COMMAND

              list                    the trips of the device
              add NAME DESTINATION    a new trip
              rename NAME NEW         renames a trip
              todo NAME TITLE         adds an item to the bucket list of a trip
              delete NAME             deletes a trip
              sync HUB                sends the changes of the device, and receives those of the hub
              conflicts HUB           the conflicts that the hub resolved

            DEVICE is the file of the device, whose name is also that of the device. HUB is the file of
            the hub, or a database like postgresql://host/name.
            """
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
