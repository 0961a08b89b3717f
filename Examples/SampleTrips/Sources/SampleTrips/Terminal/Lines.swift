import Foundation

/// Prints lines without buffering, because another process may wait for them at a pipe.
///
/// Not with `print` and `fflush(nil)`, which also waits for a thread that is reading the standard input.
public func show(_ lines: [String]) {
    FileHandle.standardOutput.write(Data(lines.map { "\($0)\n" }.joined().utf8))
}

public func show(_ line: String) { show([line]) }
