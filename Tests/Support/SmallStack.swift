import Foundation

/// Whether the program was built with a sanitizer, whose code is slower and needs more stack.
package let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

/// Runs a closure on a thread with a stack of this size, like that of secondary threads on Apple platforms.
package func onThread<Result>(
    stackSize: Int = 512 << 10, _ body: @escaping () throws -> Result
) async throws -> Result {
    // The closure and its result are used by one thread at a time, because this function waits.
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var outcome: Swift.Result<Result, any Error>?
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let thread = Thread {
            outcome = Swift.Result { try body() }
            continuation.resume()
        }
        thread.stackSize = stackSize * (isSanitized ? 16 : 1)
        thread.start()
    }
    return try outcome!.get()
}
