import Chronicle
import Foundation

let usage = """
    usage: SealedTrips add FILE NAME PRICE     saves a trip
           SealedTrips deliver FILE DIRECTORY  seals the history, and commits the heads to a git repository
           SealedTrips follow FILE DIRECTORY   does the same after each commit, until Ctrl-C

    """

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else { fail(usage, status: 2) }
do {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: arguments[1]), preservesValues: true)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    switch (arguments[0], arguments.count) {
    case ("add", 4):
        guard let price = Int(arguments[3]) else { fail(usage, status: 2) }
        let context = ModelContext(container)
        context.author = "shell"
        context.insert(Trip(name: arguments[2], price: price))
        try context.save()
    case ("deliver", 3), ("follow", 3):
        #if Seals
            let repository = try HeadRepository(at: URL(fileURLWithPath: arguments[2]))
            let delivery = HeadDelivery(container: container, repository: repository)
            @Sendable func report(_ count: Int) {
                if count > 0 { print("delivered \(count)") }
                fflush(nil)
            }
            if arguments[0] == "follow" {
                try await delivery.follow(report)
            } else {
                report(try delivery.deliver())
            }
        #else
            fail("SealedTrips: build the program with --traits default,Seals\n", status: 1)
        #endif
    default: fail(usage, status: 2)
    }
} catch {
    fail("SealedTrips: \(error)\n", status: 1)
}
