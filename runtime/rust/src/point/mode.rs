//! The two forms of a function.

use std::marker::PhantomData;

use super::frames::{self, Frame};
use super::function::Function;

/// Which of a function's two forms is compiled: the one that runs, or the one that is gone back into.
pub trait Mode {
    const RESUME: bool;
    /// How an argument by value comes: as it is, or it is among the frame's locals.
    type By<T>;
    /// What it is gone back into with.
    type From: Left;
    fn given<T>(argument: Self::By<T>) -> T;
    fn frame(function: &'static Function) -> Self::From;
}

/// A frame that a function may have left.
pub trait Left {
    fn label(&self) -> u32;
    fn frame(&mut self) -> &mut Frame;
    fn back(&mut self);
}

/// The function has left none.
pub struct Never;

impl Left for Never {
    #[inline(always)]
    fn label(&self) -> u32 {
        0
    }
    fn frame(&mut self) -> &mut Frame {
        unreachable!("only frames are gone back into")
    }
    #[inline(always)]
    fn back(&mut self) {}
}

/// It has, until all of it is back.
impl Left for Option<Frame> {
    fn label(&self) -> u32 {
        self.as_ref().map_or(0, Frame::label)
    }
    fn frame(&mut self) -> &mut Frame {
        match self {
            Some(frame) => frame,
            None => unreachable!("a frame is taken back once"),
        }
    }
    fn back(&mut self) {
        *self = None;
    }
}

/// The form that runs.
pub enum Hot {}

impl Mode for Hot {
    const RESUME: bool = false;
    type By<T> = T;
    type From = Never;
    #[inline(always)]
    fn given<T>(argument: T) -> T {
        argument
    }
    #[inline(always)]
    fn frame(_: &'static Function) -> Never {
        Never
    }
}

/// The form that is gone back into.
pub enum Resume {}

impl Mode for Resume {
    const RESUME: bool = true;
    type By<T> = Kept<T>;
    type From = Option<Frame>;
    fn given<T>(_: Kept<T>) -> T {
        unreachable!("a resumed function starts at a point")
    }
    fn frame(function: &'static Function) -> Option<Frame> {
        Some(frames::next(function))
    }
}

/// An argument that the called function has kept.
pub struct Kept<T>(pub PhantomData<T>);
