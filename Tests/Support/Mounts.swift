package import Foundation

/// A small file system that a test can fill, in a separate mount namespace.
package enum Mounts {
    package static let arePossible: Bool = {
        let probe = try? Shell.run("/usr/bin/env", ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        return probe?.status == 0
    }()

    /// Runs a shell script in a temporary file system of this size. In the script, `$store` is a file in it,
    /// `$directory` is its root, and `$worker` is the program.
    package static func run(_ script: String, in directory: URL, kilobytes: Int) throws -> String {
        let mounted = """
            directory=$0; worker=$1; store=$0/test.store
            mount -t tmpfs -o size=\(kilobytes)k tmpfs "$directory" || exit 1
            \(script)
            """
        let (status, output, errors) = try Shell.run(
            "/usr/bin/env", ["unshare", "-rm", "sh", "-c", mounted, directory.path, Worker.program.path])
        guard status == 0 else { throw Shell.Failure(description: "the script ended with \(status): \(errors)") }
        return output
    }
}
