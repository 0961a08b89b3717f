import Foundation
import SampleTrips

/// The whole story, with the app and its widget as real processes on a real file in a temporary directory.
///
/// Ends with 0 when every step was what it should be, and leaves nothing behind in either case.
@main
enum Demo {
    static func main() {
        do {
            let stage = try Stage()
            let interruption = stage.cleanUpWhenInterrupted()
            var failure: (any Error)?
            do { try Story(stage).tell() } catch { failure = error }
            withExtendedLifetime(interruption) { stage.cleanUp() }
            if let failure { throw failure }
            guard !FileManager.default.fileExists(atPath: stage.directory.path) else {
                throw Failure("\(stage.directory.path) is still there")
            }
            show(["", Style.output.green("Every step was what it should be, and nothing was left behind.")])
        } catch {
            show(["", "\(Style.output.red("✗ The demo stops here:")) \(error)"])
            exit(1)
        }
    }
}
